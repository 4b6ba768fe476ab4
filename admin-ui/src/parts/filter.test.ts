import { expect, test } from "bun:test";
import { isNarrow, readFilter, without, wordsOf } from "./filter.ts";
import { ago, shortId, span } from "./format.ts";

const states = ["PENDING", "FAILED"];
const types = ["EntitlementGranted"];

test("the filter of an address keeps only values that the API accepts", () => {
  expect(readFilter({ status: "FAILED", user_id: "7", min_attempts: "3", created_from: "2026-01-01T00:00:00Z" }, states, types)).toEqual({
    status: "FAILED",
    user_id: "7",
    min_attempts: 3,
    created_from: "2026-01-01T00:00:00.000Z",
  });
  expect(readFilter({ status: "GONE", type: "x", min_attempts: "0", created_to: "soon", unknown: "1", error: "" }, states, types)).toEqual(
    {},
  );
});

test("a state alone is not a narrowing filter", () => {
  expect(isNarrow({ status: "FAILED" })).toBe(false);
  expect(isNarrow({ status: "FAILED", user_id: "alice" })).toBe(true);
  expect(without({ status: "FAILED", user_id: "alice" }, "user_id")).toEqual({ status: "FAILED" });
});

test("ages and ids are short", () => {
  expect([span(0), span(950), span(1500), span(200_000), span(3_600_000 * 30)]).toEqual(["0 ms", "950 ms", "1.5 s", "3 m 20 s", "1 d 6 h"]);
  const now = Date.parse("2026-01-01T00:10:00Z");
  expect([ago("2026-01-01T00:10:00Z", now), ago("2026-01-01T00:07:10Z", now), ago("2026-01-01T00:10:30Z", now)]).toEqual([
    "now",
    "2 m ago",
    "in 30 s",
  ]);
  expect(shortId("01920c3e-aaaa-7bbb-8ccc-0123456789ab")).toBe("01920c…89ab");
});

test("a filter is described in words", () => {
  expect(wordsOf({ status: "IN_FLIGHT", user_id: "alice", min_attempts: 3 })).toBe("in flight, user alice, attempts ≥ 3");
  expect(wordsOf({ status: "failed" }, [{ name: "failed", word: "Retrying" }])).toBe("retrying");
});
