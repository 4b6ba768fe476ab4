import type { StepMinute } from "../../../../server/kernel/operator/flow_routes.ts";
import type { StateMeaning } from "../../../../server/kernel/operator/row_kind.ts";
import { number, span } from "../../parts/format.ts";
import { stateMeaning } from "../../parts/row_kinds.ts";
import { type KindName, kindOf } from "../../systems.ts";
import type { FlowSeries } from "./queries.ts";

export type LineTone = "accent" | "faint" | "retry" | "failed";

/** One value of a step over time. */
export interface Line {
  readonly step: string;
  readonly field: keyof StepMinute;
  readonly word: string;
  readonly tone: LineTone;
  /** The list that the number links to. */
  readonly list?: { readonly kind: KindName; readonly status?: string };
}

/** The systems whose steps are charted. */
export type FlowSystem = "entitlement" | "notification";

export interface FlowChart {
  readonly title: string;
  readonly system: FlowSystem;
  readonly unit: "count" | "time";
  readonly lines: readonly Line[];
  /** Unwanted counts, drawn only where they are not zero. */
  readonly marks: readonly Line[];
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

export const linesOf = ({ lines, marks }: FlowChart): readonly Line[] => [...lines, ...marks];

export const valuesOf = ({ minutes }: FlowSeries, { step, field }: Line): (number | null)[] =>
  minutes.map(minute => (minute[step] as StepMinute | undefined)?.[field] ?? null);

/** One number for a time range: the total count, the median of the medians, the worst of the 99th percentiles. */
export function summaryOf(values: readonly (number | null)[], field: Line["field"]): number | null {
  const known = values.filter(value => value !== null).toSorted((a, b) => a - b);
  if (field === "count") return known.reduce((sum, value) => sum + value, 0);
  return known[field === "p50_ms" ? Math.floor((known.length - 1) / 2) : known.length - 1] ?? null;
}

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

/** For display: `1,204` or `3.2 s`. */
export const formatValue = (value: number | null, { field }: Pick<Line, "field">): string =>
  value === null ? "–" : field === "count" ? number(value) : span(value);

/** The series as a table with a few rows, one per time range. */
export function rowsOf(series: FlowSeries, lines: readonly Line[], many = 12): { from: string; cells: (number | null)[] }[] {
  const size = Math.ceil(series.minutes.length / many);
  const columns = lines.map(line => valuesOf(series, line));
  return Array.from({ length: Math.ceil(series.minutes.length / size) }, (_, row) => ({
    from: series.minutes[row * size]!.minute,
    cells: columns.map((values, index) => summaryOf(values.slice(row * size, (row + 1) * size), lines[index]!.field)),
  }));
}
