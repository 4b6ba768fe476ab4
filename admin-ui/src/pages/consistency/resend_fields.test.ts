import { expect, test } from "bun:test";
import { fieldOf, fieldsOf, selectionOf } from "./resend_fields.ts";

test("a time goes through the field without loss of whole seconds, rounded down so that no event is left out", () => {
  const fields = { since: fieldOf("2026-11-18T02:03:04.987654Z"), until: "", user_id: " ", only_missing: true };
  expect(selectionOf(fields)).toEqual({ since: "2026-11-18T02:03:04.000Z", only_missing: true });
  expect(fieldOf(null)).toBe("");
});

test("optional fields are sent if they are set", () => {
  const until = fieldOf("2026-11-18T03:00:00Z");
  expect(selectionOf({ since: until, until, user_id: " alice ", only_missing: false })).toEqual({
    since: "2026-11-18T03:00:00.000Z",
    until: "2026-11-18T03:00:00.000Z",
    user_id: "alice",
    only_missing: false,
  });
});

test("the suggested selection begins before the earliest event, not within its second", () => {
  expect(selectionOf(fieldsOf("2026-11-18T02:03:04.000001Z"))).toEqual({ since: "2026-11-18T02:03:04.000Z", only_missing: true });
});
