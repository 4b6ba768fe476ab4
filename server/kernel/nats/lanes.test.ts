import { expect, test } from "bun:test";
import { createLanes } from "./lanes.ts";

/** Lanes with messages of these keys, numbered in the order of the stream. They arrived at the time of their number. */
function lanesWith(...keys: string[]) {
  const lanes = createLanes<{ key: string; seq: number; at: number }>();
  for (const [seq, key] of keys.entries()) lanes.add({ key, seq, at: seq });
  const names = (taken: readonly { key: string; seq: number }[]) => taken.map(({ key, seq }) => `${key}${seq}`).join(" ");
  return { ...lanes, names };
}

test("the messages of a busy key are a batch of their own, in the order of the stream", () => {
  const { take, has, names } = lanesWith("hot", "a", "hot", "hot", "b", "a", "hot");
  expect([has("runs"), names(take("others", 9)), names(take("runs", 9)), has("runs")]).toEqual([
    true,
    "a1 b4 a5",
    "hot0 hot2 hot3 hot6",
    false,
  ]);
});

test("while messages of a key are handled, no lane takes later ones of it", () => {
  const { add, take, handled, release, names } = lanesWith("hot", "hot", "hot", "hot");
  const run = take("runs", 9);
  for (const seq of [4, 5]) add({ key: "hot", seq, at: seq });
  expect([take("others", 9), take("runs", 9)]).toEqual([[], []]);
  handled(run);
  release(run);
  expect(names(take("others", 9))).toBe("hot4 hot5");
});

test("a batch that failed is taken again, with the earlier messages first", () => {
  const { add, take, release, names } = lanesWith("a", "b");
  release(take("others", 9));
  add({ key: "c", seq: -1, at: 2 });
  expect(names(take("others", 2))).toBe("c-1 a0");
});

test("messages that arrived too long ago are forgotten, and those that are being handled may be, too", () => {
  const { take, handled, release, forgetBefore, empty, size, names } = lanesWith("a", "b", "c");
  const taken = take("others", 2);
  forgetBefore(2);
  handled(taken);
  release(taken);
  expect([names(empty()), size()]).toEqual(["c2", 0]);
});
