import { expect, test } from "bun:test";
import { beyond, countScaleOf, timeScaleOf } from "./chart_scale.ts";

const hour = (usual: number, ...others: number[]) => [...Array.from({ length: 60 - others.length }, () => usual), ...others];

test.each([
  ["nothing", [], { bottom: 1, top: 100 }],
  ["a quiet hour", hour(30, 12, 95), { bottom: 10, top: 1000 }],
  ["a wide hour", [...hour(30), ...hour(4000)], { bottom: 10, top: 10_000 }],
  ["one outlier", hour(30, 250_000), { bottom: 10, top: 1000 }],
  ["two outliers", hour(30, 90_000, 250_000), { bottom: 10, top: 1000 }],
  ["an outage of ten minutes is no outlier", hour(30, ...Array.from({ length: 10 }, () => 60_000)), { bottom: 10, top: 100_000 }],
  ["less than a millisecond", hour(0.2), { bottom: 1, top: 100 }],
  ["an outlier among few", [20, 30, 40, 200_000], { bottom: 10, top: 1000 }],
])("the scale of %s", (_, values, scale) => expect(timeScaleOf(values)).toEqual(scale));

test("the highest value above the scale is reported", () => {
  const values = hour(30, 90_000, 250_000);
  expect(beyond(values, timeScaleOf(values))).toBe(250_000);
  expect(beyond([null, 30], timeScaleOf(values))).toBeUndefined();
});

test("the scale of counts starts at zero and includes every value", () => {
  expect(countScaleOf([])).toEqual({ bottom: 0, top: 4 });
  expect(beyond([0, 3, 900], countScaleOf([0, 3, 900]))).toBeUndefined();
});
