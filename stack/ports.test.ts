import { afterAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { choosePort, isFree } from "./ports.ts";
import { scratchFolder } from "./scratch.ts";

const dir = scratchFolder();
afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("a server gets its last port again, another one if it is taken, and the preferred one first", async () => {
  const port = await choosePort(dir, "one");
  expect(await choosePort(dir, "one")).toBe(port);
  const taken = Bun.serve({ hostname: "127.0.0.1", port, fetch: () => new Response() });
  expect(await isFree(port)).toBe(false);
  const other = await choosePort(dir, "one");
  expect(other).not.toBe(port);
  expect(await choosePort(dir, "two", port)).not.toBe(port);
  await taken.stop(true);
  expect(await choosePort(dir, "two", port)).toBe(port);
  expect(await choosePort(dir, "one")).toBe(other);
});
