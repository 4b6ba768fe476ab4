import { expect, test } from "bun:test";
import { cookies } from "./cookies.ts";

const asked = (cookie: string) => new Request("http://localhost/", { headers: { cookie } });

test("over https a cookie belongs to this host, all paths, and no script can read it", () => {
  const jar = cookies(() => true);
  expect(jar.set("kenri", "abc")).toBe("__Host-kenri=abc; Path=/; HttpOnly; SameSite=Lax; Secure");
  expect(jar.remove("kenri")).toBe("__Host-kenri=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
  expect(jar.read(asked("a=1; __Host-kenri=abc"), "kenri")).toBe("abc");
  expect(jar.read(asked("kenri=abc"), "kenri")).toBeUndefined();
});

test("over plain http it has the same attributes without the prefix", () => {
  expect(cookies(() => false).set("kenri", "abc")).toBe("kenri=abc; Path=/; HttpOnly; SameSite=Lax");
});

test("of two cookies with one name none is used", () => {
  const jar = cookies(() => false);
  expect(jar.read(asked("kenri=mine; kenri=another"), "kenri")).toBeUndefined();
  expect(jar.read(asked("kenri2=x; kenri=mine"), "kenri")).toBe("mine");
  expect(jar.read(new Request("http://localhost/"), "kenri")).toBeUndefined();
});
