import { expect, test } from "bun:test";
import { formatValue, type Line, rowsOf, type Series, summaryOf, valuesOf } from "./chart_lines.ts";

const line = (field: Line["field"]): Line => ({ step: "sent", field, word: "sent", tone: "accent" });
const series = (counts: readonly number[]): Series => ({
  minutes: counts.map((count, index) => ({
    minute: `2026-01-01T00:${String(index).padStart(2, "0")}:00.000000Z`,
    sent: { count, p50_ms: count === 0 ? null : count * 10, p99_ms: count === 0 ? null : count * 100 },
  })),
});

test("a step missing in the response has no value and does not break the page", () => {
  expect(valuesOf(series([1, 2]), { ...line("count"), step: "unheard_of" })).toEqual([null, null]);
});

test("a time range has one number: the total, the median or the worst", () => {
  const all = series([1, 0, 3, 2]);
  expect(summaryOf(valuesOf(all, line("count")), "count")).toBe(6);
  expect(summaryOf(valuesOf(all, line("p50_ms")), "p50_ms")).toBe(20);
  expect(summaryOf(valuesOf(all, line("p99_ms")), "p99_ms")).toBe(300);
});

test("a time range without events has a count and no latency", () => {
  const idle = series([0, 0]);
  expect(summaryOf(valuesOf(idle, line("count")), "count")).toBe(0);
  expect(formatValue(summaryOf(valuesOf(idle, line("p99_ms")), "p99_ms"), line("p99_ms"))).toBe("–");
});

test.each([
  [60, 12, 5],
  [1440, 12, 120],
  [7, 7, 1],
  [1, 1, 1],
])("%d minutes become a table of %d rows without gaps", (minutes, rows, first) => {
  const table = rowsOf(series(Array(minutes).fill(1)), [line("count")]);
  expect([table.length, table[0]!.cells[0]]).toEqual([rows, first]);
  expect(table.reduce((sum, { cells }) => sum + cells[0]!, 0)).toBe(minutes);
});

test("numbers are formatted for display", () => {
  expect([formatValue(1204, line("count")), formatValue(3200, line("p99_ms")), formatValue(0, line("count"))]).toEqual([
    "1,204",
    "3.2 s",
    "0",
  ]);
});
