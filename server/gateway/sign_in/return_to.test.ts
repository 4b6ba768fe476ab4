import { expect, test } from "bun:test";
import { returnPath } from "./return_to.ts";

const origin = "https://kenri.example";

test.each([
  ["/admin/outbox?state=FAILED#row", "/admin/outbox?state=FAILED#row"],
  ["/a/../b", "/b"],
  ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
])("a path of our own is kept: %s", (wanted, path) => {
  expect(returnPath(wanted, origin)).toBe(path);
});

test.each([
  undefined,
  "",
  "admin",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/..//evil.example",
  "/.//evil.example",
  "/%2e%2e//evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "https://evil.example",
  "https:evil.example",
  "javascript:alert(1)",
  " //evil.example",
  "@evil.example",
  ".evil.example",
])("anything else is the start page: %j", wanted => {
  const path = returnPath(wanted, origin);
  expect(path).toBe("/");
  expect(new URL(`${origin}${path}`).origin).toBe(origin);
});
