import { expect, test } from "bun:test";
import type { Queue } from "../../api/matchmaking_answers.ts";
import { valuesOf } from "../../parts/chart_lines.ts";
import { matchChart, rateOf, rateText, secondsText, seriesOf } from "./queue_numbers.ts";

const minutes = (...matches: number[]) =>
  matches.map((many, index) => ({
    minute: `2026-01-01T12:0${index}:00.000Z`,
    joined: many * 2,
    matches: many,
    cancelled: 0,
    expired: index,
    invalid: 0,
  }));

test("the rate is that of the last complete minutes: the running one would make it too low", () => {
  expect(rateOf({ minutes: minutes(100, 2, 2, 2, 2, 4, 0) })).toBe(2.4);
  expect(rateOf({ minutes: minutes(4) })).toBe(0);
  expect([0, 0.4, 2.4, 12.3, 1204].map(rateText)).toEqual(["0", "0.4", "2.4", "12", "1,204"]);
});

test("seconds are shown with their unit, and nothing as a dash", () => {
  expect([null, undefined, 0, 0.25, 3.2, 125].map(secondsText)).toEqual(["–", "–", "0 ms", "250 ms", "3.2 s", "2 m 5 s"]);
});

test("the chart has the matches and the tickets that ended without one", () => {
  const series = seriesOf({ minutes: minutes(3, 5) } as Queue);
  expect(matchChart.lines.map(line => valuesOf(series, line))).toEqual([[3, 5]]);
  expect(matchChart.marks.map(line => valuesOf(series, line))).toEqual([
    [0, 1],
    [0, 0],
  ]);
});
