import { expect, test } from "bun:test";
import { fieldOf, readInboxView, readUserView, timeOf } from "./user_view.ts";

test.each([
  [{}, {}],
  [{ user: "" }, {}],
  [{ user: "  " }, {}],
  [{ user: "alice" }, { user: "alice" }],
  [{ user: 7 }, {}],
  [{ user: "a".repeat(300) }, { user: "a".repeat(200) }],
  [
    { user: "alice", as_of: "2026-01-31T09:00:00.123456Z" },
    { user: "alice", as_of: "2026-01-31T09:00:00.123456Z" },
  ],
  [{ user: "alice", as_of: "yesterday" }, { user: "alice" }],
  [{ user: "alice", as_of: "" }, { user: "alice" }],
])("the address %j is read as %j", (search, view) => expect(readUserView(search)).toEqual(view));

test.each([
  [
    { user: "alice", show: "unread" },
    { user: "alice", show: "unread" },
  ],
  [{ user: "alice", show: "all" }, { user: "alice" }],
  [{ user: "alice", show: "nonsense" }, { user: "alice" }],
] as const)("the inbox address %j is read as %j", (search, view) => expect(readInboxView(search)).toEqual(view));

test("a time survives the field and back, in both zones", () => {
  for (const zone of ["utc", "local"] as const)
    expect(timeOf(fieldOf("2026-01-31T09:00:05Z", zone), zone)).toBe("2026-01-31T09:00:05.000Z");
  expect(fieldOf("2026-01-31T09:00:05.000001Z", "utc")).toBe("2026-01-31T09:00:05");
  expect(fieldOf("2026-01-31T09:00:05.25Z", "utc")).toBe("2026-01-31T09:00:06");
  for (const nonsense of ["", "x", "2026-13-01T00:00"]) expect(timeOf(nonsense, "utc")).toBeUndefined();
});
