import { afterEach, beforeEach, expect, test } from "bun:test";
import { createPatience } from "./patience.ts";

let now = 0;
const realNow = performance.now;
beforeEach(() => {
  now = 1000;
  performance.now = () => now;
});
afterEach(() => {
  performance.now = realNow;
});

test("a pair waits no longer than the limit without progress, and the earliest event goes first", () => {
  const patience = createPatience(2000);
  expect(patience.usedUpAt("pair", 5)).toBeUndefined();
  patience.wait("pair", 3, 5);
  patience.wait("pair", 3, 7);
  now += 1999;
  expect(patience.usedUpAt("pair", 5)).toBeUndefined();
  now += 1;
  expect([patience.usedUpAt("pair", 5), patience.usedUpAt("pair", 7)]).toEqual([3, undefined]);
  now += 2000;
  expect(patience.usedUpAt("pair", 7)).toBe(3);
});

test("progress of the pair begins a new wait; other pairs have their own", () => {
  const patience = createPatience(2000);
  patience.wait("pair", 3, 5);
  now += 1500;
  patience.wait("pair", 5, 7);
  patience.wait("other", 0, 2);
  now += 1500;
  expect([patience.usedUpAt("pair", 7), patience.usedUpAt("other", 2)]).toEqual([undefined, undefined]);
  now += 500;
  expect([patience.usedUpAt("pair", 7), patience.usedUpAt("other", 2)]).toEqual([5, 0]);
});

test("an event comes again soon at first, and later less often", () => {
  const patience = createPatience(2000);
  const delays = Array.from({ length: 30 }, () => patience.wait("pair", 3, 5));
  expect([delays[0], delays.at(-1)]).toEqual([20, 200]);
  expect(delays.toSorted((a, b) => a - b)).toEqual(delays);
});

test("without patience everything goes at once", () => {
  expect(createPatience(0).usedUpAt("pair", 9)).toBe(Number.MAX_SAFE_INTEGER);
});

test("after an outage in which nobody could make progress the wait begins anew", () => {
  const patience = createPatience(2000);
  patience.wait("pair", 3, 5);
  now += 3000;
  patience.startAnew();
  expect(patience.usedUpAt("pair", 5)).toBeUndefined();
  patience.wait("pair", 3, 5);
  now += 2000;
  expect(patience.usedUpAt("pair", 5)).toBe(3);
});
