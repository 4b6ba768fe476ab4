import { expect, test } from "bun:test";
import { rowKinds } from "../systems.ts";
import { pages } from "./pages.ts";

test("every list is in the navigation, and each page has its own path and key", () => {
  for (const { name } of rowKinds) expect(pages.map(({ path }) => path)).toContain(`/${name}`);
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  expect(new Set(pages.map(({ key }) => key)).size).toBe(pages.length);
  expect(pages.find(({ path }) => path === "/outbox")).toMatchObject({ key: "o", icon: "outbox", isInBar: true });
  expect(pages.find(({ path }) => path === "/matchmaking")).toMatchObject({ key: "m", icon: "matchmaking" });
  expect(pages.find(({ path }) => path === "/notifications")).toMatchObject({ key: "n", icon: "notifications", isInBar: true });
});
