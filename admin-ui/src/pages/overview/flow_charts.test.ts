import { expect, test } from "bun:test";
import { binned } from "./flow_charts.ts";
import type { FlowSeries } from "./queries.ts";

const series = (counts: readonly number[]): FlowSeries => ({
  from: "2026-01-01T00:00:00.000000Z",
  to: "2026-01-01T00:00:00.000000Z",
  minutes: counts.map((count, index) => ({
    minute: `2026-01-01T00:${String(index).padStart(2, "0")}:00.000000Z`,
    sent: { count, p50_ms: count === 0 ? null : count * 10, p99_ms: count === 0 ? null : count * 100 },
  })),
});

test("minutes are grouped by the clock, and an incomplete first group is left out", () => {
  const shifted = series([9, 1, 2, 3, 4, 5]);
  const minutes = [4, 5, 6, 7, 8, 9].map((minute, index) => ({
    ...shifted.minutes[index]!,
    minute: `2026-01-01T00:0${minute}:00.000000Z`,
  }));
  const points = binned({ ...shifted, minutes } as FlowSeries, 5);
  expect(points.minutes).toEqual([{ minute: "2026-01-01T00:05:00.000000Z", sent: { count: 15, p50_ms: 30, p99_ms: 500 } }]);
  expect(binned(shifted, 1)).toEqual(shifted);
});
