import { expect, test } from "bun:test";
import { restartDelay, retryDelaySeconds } from "./backoff.ts";

test("the delay before the next try is min(60 s, 1 s · 2^attempt) · (0.5 + rand())", () => {
  expect([0, 1, 2, 5, 6, 9].map(attempt => retryDelaySeconds(attempt, 0.5))).toEqual([1, 2, 4, 32, 60, 60]);
  expect([retryDelaySeconds(3, 0), retryDelaySeconds(3, 1)]).toEqual([4, 12]);
  expect(retryDelaySeconds(5000, 0)).toBe(30);
});

test("the pause after a crash grows from a tenth of a second to five seconds at most, and is never none", () => {
  expect([0, 1, 3, 6, 1000].map(failures => restartDelay(failures, 1))).toEqual([100, 200, 800, 5000, 5000]);
  expect(restartDelay(0, 0)).toBe(50);
});
