import { expect, test } from "bun:test";
import { markOf } from "./verification_mark.ts";

const check = (is_late: boolean, count = 0, checked_at: string | null = "2026-11-18T02:03:04.987654Z") =>
  markOf({ checked_at, is_late, missing: { count, more: false } }, "utc");

test("none missing is good only while the check runs", () => {
  expect(check(false)).toEqual({ tone: "done", word: "None missing" });
  expect(check(true)).toEqual({ tone: "retry", word: "Not checked since 2026-11-18 02:03:04 UTC" });
  expect(check(false, 0, null)).toEqual({ tone: "pending", word: "Not checked yet" });
});

test("what was found missing stays a failure, however old the check is", () => {
  expect(check(false, 3)).toEqual({ tone: "failed", word: "3 missing" });
  expect(check(true, 3)).toEqual({ tone: "failed", word: "3 missing, not checked since 2026-11-18 02:03:04 UTC" });
});
