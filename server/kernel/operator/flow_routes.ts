import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import { sharedReads } from "../http/shared_reads.ts";
import { minutes } from "../http/text.ts";
import { percentile } from "./flow.ts";

interface SeriesRow {
  readonly minute: string;
  readonly step: string | null;
  readonly count: number | null;
  readonly buckets: string | null;
}

/** The statement over flow_minutes, which every system has. */
export interface FlowSql {
  readonly flow: {
    series(parameters: { minutes: number }): Promise<SeriesRow[]>;
    slowest(parameters: { minutes: number }): Promise<(SlowestEvent & { step: string })[]>;
  };
}

/** The event that took longest to a step, of the minute in which it passed it. */
export interface SlowestEvent {
  readonly id: string;
  readonly took_ms: number;
  readonly minute: string;
}

/** The events that passed a step in a minute, and their age since the change. */
export interface StepMinute {
  readonly count: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}

/** A minute with each step by its name. */
export type SeriesMinute = { readonly minute: string } & { readonly [step: string]: StepMinute | string };

const nothing: StepMinute = { count: 0, p50_ms: null, p99_ms: null };
const most = 1440;
// The workers store their counts every few seconds; in between, the series is the same.
const freshFor = 2000;
// The console offers a few ranges. A caller that requests many others must not fill the memory.
const rangesKept = 8;

/** Every minute with every step, even if no event passed it. */
export function seriesOf(rows: readonly SeriesRow[], steps: readonly string[]): SeriesMinute[] {
  const series = new Map<string, { minute: string; [step: string]: StepMinute | string }>();
  for (const { minute, step, count, buckets } of rows) {
    const at = series.get(minute) ?? { minute, ...Object.fromEntries(steps.map(name => [name, nothing])) };
    series.set(minute, at);
    if (step === null || !steps.includes(step)) continue;
    const tally = JSON.parse(`[${buckets!.slice(1, -1)}]`) as number[];
    at[step] = { count: count!, p50_ms: percentile(tally, 0.5), p99_ms: percentile(tally, 0.99) } satisfies StepMinute;
  }
  return [...series.values()];
}

/** How many events passed a system's steps, minute by minute. */
export function flowRoutes({ flow }: FlowSql, requires: Requires, steps: readonly string[]) {
  const { share } = sharedReads(freshFor, rangesKept);
  const read = share(async (count: number) => seriesOf(await flow.series({ minutes: count }), steps));
  const slowest = share((count: number) => flow.slowest({ minutes: count }));
  const query = Type.Object({ minutes: Type.Optional(minutes(`how many, 60 by default, up to ${most}`)) }, { additionalProperties: false });
  return new Elysia({ normalize: false })
    .get(
      "/ops/flow",
      async ({ query }) => {
        const series = await read(Number(query.minutes ?? 60));
        return { from: series[0]!.minute, to: series.at(-1)!.minute, minutes: series };
      },
      {
        query,
        ...requires("ops:read"),
        detail: {
          summary: "How many events passed each step, minute by minute",
          description: `Every minute from \`from\` to \`to\`, which is still running, with each step's count and how long events had taken since they occurred (percentiles within 10 %; null if none was timed). Steps: ${steps.join(", ")}. Statistics: a few seconds behind, and a crash may lose some. Scope: ops:read.`,
        },
      },
    )
    .get(
      "/ops/flow/slowest",
      async ({ query }) => {
        const found = await slowest(Number(query.minutes ?? 60));
        return { slowest: Object.fromEntries(found.map(({ step, ...event }) => [step, event])) as Readonly<Record<string, SlowestEvent>> };
      },
      {
        query,
        ...requires("ops:read"),
        detail: {
          summary: "The event that took longest to each step",
          description: `Of the last minutes, by step: its id, how long it took since it occurred, and the minute. A step that no event passed is missing. The event may have been deleted since. Steps: ${steps.join(", ")}. Scope: ops:read.`,
        },
      },
    );
}
