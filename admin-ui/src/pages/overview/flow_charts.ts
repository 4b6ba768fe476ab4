import type { StepMinute } from "../../../../server/kernel/operator/flow_routes.ts";
import type { StateMeaning } from "../../../../server/kernel/operator/row_kind.ts";
import { type Chart, type Line, type LineTone, summaryOf } from "../../parts/chart_lines.ts";
import { stateMeaning } from "../../parts/row_kinds.ts";
import { type KindName, kindOf } from "../../systems.ts";
import type { FlowSeries } from "./queries.ts";

/** The systems whose steps are charted. */
export type FlowSystem = "entitlement" | "notification";

export interface FlowChart extends Chart {
  readonly system: FlowSystem;
}

const counted = (step: string, word: string, list: NonNullable<Line["list"]>, tone: LineTone = "accent"): Line => ({
  step,
  field: "count",
  word,
  tone,
  list,
});
const inState = (kind: KindName, meaning: StateMeaning) => ({ kind, status: stateMeaning(kindOf(kind), meaning).name });
const timed = (title: string, system: FlowSystem, step: string): FlowChart => ({
  title,
  system,
  unit: "time",
  lines: [
    { step, field: "p50_ms", word: "p50", tone: "accent" },
    { step, field: "p99_ms", word: "p99", tone: "faint" },
  ],
  marks: [],
});

/** The steps of a change. */
export const throughput: readonly FlowChart[] = [
  { title: "Changed", system: "entitlement", unit: "count", lines: [counted("changed", "changed", { kind: "outbox" })], marks: [] },
  {
    title: "Published",
    system: "entitlement",
    unit: "count",
    lines: [counted("published", "published", inState("outbox", "done"))],
    marks: [
      counted("retried", "retried", inState("outbox", "retrying"), "retry"),
      counted("failed", "failed", inState("outbox", "failed"), "failed"),
    ],
  },
  {
    title: "Consumed",
    system: "notification",
    unit: "count",
    lines: [counted("taken_in", "consumed", { kind: "notifications" })],
    marks: [],
  },
  {
    title: "Sent",
    system: "notification",
    unit: "count",
    lines: [counted("sent", "sent", inState("notifications", "done"))],
    marks: [
      counted("retried", "retried", inState("notifications", "retrying"), "retry"),
      counted("failed", "failed", inState("notifications", "failed"), "failed"),
    ],
  },
];

/** The delay of each step after the change. */
export const latency: readonly FlowChart[] = [
  timed("Change → published", "entitlement", "published"),
  timed("Change → consumed", "notification", "taken_in"),
  timed("Change → sent", "notification", "sent"),
];

/** The time ranges, with the minutes per point that fit the chart. */
export const ranges = [
  { hours: "1", bin: 1 },
  { hours: "6", bin: 5 },
  { hours: "24", bin: 20 },
] as const;

/** Groups minutes into points, aligned to the clock so that the groups are stable. An incomplete first group is left out. */
export function binned(series: FlowSeries, size: number): FlowSeries {
  const binOf = (minute: string) => Math.floor(Date.parse(minute) / (size * 60_000));
  const bins = [...Map.groupBy(series.minutes, ({ minute }) => binOf(minute)).values()];
  const whole = bins.filter((bin, index) => index > 0 || bin.length === size || bins.length === 1);
  const minutes = whole.map(bin => {
    const steps = Object.keys(bin[0]!).filter(name => name !== "minute");
    const together = (step: string, field: keyof StepMinute) =>
      summaryOf(
        bin.map(minute => (minute[step] as StepMinute)[field]),
        field,
      );
    return {
      minute: bin[0]!.minute,
      ...Object.fromEntries(
        steps.map(step => [
          step,
          { count: together(step, "count") ?? 0, p50_ms: together(step, "p50_ms"), p99_ms: together(step, "p99_ms") },
        ]),
      ),
    };
  }) as unknown as FlowSeries["minutes"];
  return { ...series, minutes };
}
