import type { StepMinute } from "../../../server/kernel/operator/flow_routes.ts";
import type { KindName } from "../systems.ts";
import { number, span } from "./format.ts";

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

/** The minutes of a time range. Each has values by the names of its steps. The last minute is incomplete. */
export interface Series {
  readonly minutes: readonly { readonly minute: string }[];
}

export interface Chart {
  readonly title: string;
  readonly unit: "count" | "time";
  readonly lines: readonly Line[];
  /** Unwanted counts, drawn only where they are not zero. */
  readonly marks: readonly Line[];
}

export const linesOf = ({ lines, marks }: Chart): readonly Line[] => [...lines, ...marks];

export const valuesOf = ({ minutes }: Series, { step, field }: Line): (number | null)[] =>
  minutes.map(minute => ((minute as Readonly<Record<string, unknown>>)[step] as StepMinute | undefined)?.[field] ?? null);

/** One number for a time range: the total count, the median of the medians, the worst of the 99th percentiles. */
export function summaryOf(values: readonly (number | null)[], field: Line["field"]): number | null {
  const known = values.filter(value => value !== null).toSorted((a, b) => a - b);
  if (field === "count") return known.reduce((sum, value) => sum + value, 0);
  return known[field === "p50_ms" ? Math.floor((known.length - 1) / 2) : known.length - 1] ?? null;
}

/** For display: `1,204` or `3.2 s`. */
export const formatValue = (value: number | null, { field }: Pick<Line, "field">): string =>
  value === null ? "–" : field === "count" ? number(value) : span(value);

/** The series as a table with a few rows, one per time range. */
export function rowsOf(series: Series, lines: readonly Line[], many = 12): { from: string; cells: (number | null)[] }[] {
  const size = Math.ceil(series.minutes.length / many);
  const columns = lines.map(line => valuesOf(series, line));
  return Array.from({ length: Math.ceil(series.minutes.length / size) }, (_, row) => ({
    from: series.minutes[row * size]!.minute,
    cells: columns.map((values, index) => summaryOf(values.slice(row * size, (row + 1) * size), lines[index]!.field)),
  }));
}
