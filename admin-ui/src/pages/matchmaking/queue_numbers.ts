import type { Queue } from "../../api/matchmaking_answers.ts";
import type { Chart, Series } from "../../parts/chart_lines.ts";
import { number, span } from "../../parts/format.ts";

const counted = (step: string, word: string, tone: Chart["lines"][number]["tone"]) => ({ step, field: "count", word, tone }) as const;

/** Matches over the last hour. Expired tickets are normal if nobody else was there. */
export const matchChart: Chart = {
  title: "Matches",
  unit: "count",
  lines: [counted("matches", "made", "accent")],
  marks: [counted("expired", "expired", "faint"), counted("invalid", "invalid", "failed")],
};

/** The minutes of a queue in the form of a chart. */
export function seriesOf({ minutes }: Queue): Series {
  return {
    minutes: minutes.map(({ minute, ...counts }) => ({
      minute,
      ...Object.fromEntries(Object.entries(counts).map(([step, count]) => [step, { count, p50_ms: null, p99_ms: null }])),
    })),
  };
}

const rateOver = 5;

/** Matches a minute over the last complete minutes. The last minute is still running. */
export function rateOf({ minutes }: Pick<Queue, "minutes">): number {
  const complete = minutes.slice(-rateOver - 1, -1);
  return complete.length === 0 ? 0 : complete.reduce((sum, { matches }) => sum + matches, 0) / complete.length;
}

/** `12`, `0.4`: a rate below ten has one decimal. */
export const rateText = (rate: number): string => (rate >= 10 || rate === 0 ? number(Math.round(rate)) : rate.toFixed(1));

export const secondsText = (seconds: number | null | undefined): string => (seconds == null ? "–" : span(seconds * 1000));

const strategies: Readonly<Record<string, string>> = {
  fifo: "pairs the two that wait longest",
  rating: "pairs the longest waiting with the nearest rating",
};

/** How a mode pairs, in words. */
export const strategyWords = (strategy: string): string => strategies[strategy] ?? strategy;
