import { expect, test } from "bun:test";
import { cookies } from "./cookies.ts";

const asked = (cookie: string) => new Request("http://localhost/", { headers: { cookie } });

test("over https a cookie is this host's alone, for all of it, and no script's", () => {
  const jar = cookies(() => true);
  expect(jar.give("kenri", "abc")).toBe("__Host-kenri=abc; Path=/; HttpOnly; SameSite=Lax; Secure");
  expect(jar.take("kenri")).toBe("__Host-kenri=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
  expect(jar.read(asked("a=1; __Host-kenri=abc"), "kenri")).toBe("abc");
  expect(jar.read(asked("kenri=abc"), "kenri")).toBeUndefined();
});

test("over plain http it is as close to that as a browser takes", () => {
  expect(cookies(() => false).give("kenri", "abc")).toBe("kenri=abc; Path=/; HttpOnly; SameSite=Lax");
});

test("of two with one name none is taken", () => {
  const jar = cookies(() => false);
  expect(jar.read(asked("kenri=mine; kenri=another"), "kenri")).toBeUndefined();
  expect(jar.read(asked("kenri2=x; kenri=mine"), "kenri")).toBe("mine");
  expect(jar.read(new Request("http://localhost/"), "kenri")).toBeUndefined();
});
