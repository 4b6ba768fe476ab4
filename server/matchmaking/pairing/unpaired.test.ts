import { expect, test } from "bun:test";
import type { Depth } from "../mode_store.ts";
import { unpairedFor } from "./unpaired.ts";

const depth = (oldestJoinedAt: number | null, secondJoinedAt: number | null): Depth => ({
  now: 100_000,
  waiting: 2,
  oldestJoinedAt,
  secondJoinedAt,
  nextExpiry: null,
  unpublished: 0,
  unpublishedSince: null,
  unannounced: 0,
  unannouncedSince: null,
});

test.each([
  ["fifo", "nobody waits", depth(null, null), null],
  ["fifo", "one waits", depth(40_000, null), null],
  ["fifo", "two wait, since the second has joined", depth(40_000, 90_000), 10_000],
  ["rating", "the window of the first is not open yet", depth(90_000, 95_000), null],
  ["rating", "it is open, and the second came before that", depth(60_000, 70_000), 20_000],
  ["rating", "it is open, and the second came later", depth(40_000, 95_000), 5_000],
] as const)("%s: %s", (strategy, _, given, expected) => {
  expect(unpairedFor(given, strategy, 20_000)).toBe(expected);
});
