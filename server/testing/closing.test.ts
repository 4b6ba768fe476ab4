import { expect, test as plain } from "bun:test";
import { closeAtEnd, test } from "./closing.ts";

const closed: string[] = [];

test("closes what it opened, the last one first", async () => {
  for (const name of ["server", "system"]) {
    await Bun.sleep(0);
    closeAtEnd(async () => closed.push(name));
  }
});
plain("a test is closed before the next one starts", () => expect(closed.splice(0)).toEqual(["system", "server"]));

test.concurrent.each([["one"], ["two"]])("concurrent tests close their own: %s", async name => {
  await Bun.sleep(0);
  closeAtEnd(() => closed.push(name));
});
plain("each was closed once", () => expect(closed.sort()).toEqual(["one", "two"]));

plain("outside of such a test nothing would close it", () => expect(() => closeAtEnd(() => {})).toThrow("closeAtEnd()"));
