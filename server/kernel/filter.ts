import { type TLiteral, type TUnion, Type } from "@sinclair/typebox";
import { attempts, moment, text } from "./text.ts";

/** What operators filter rows by; it means the same in every list, count and group. */
export interface Filter {
  readonly status: string | null;
  readonly type: string | null;
  readonly user_id: string | null;
  readonly error: string | null;
  readonly fingerprint: string | null;
  readonly min_attempts: number | null;
  readonly created_from: string | null;
  readonly created_to: string | null;
}

/** As it comes: in a query string a number is text too. */
type Given = { readonly [name in Exclude<keyof Filter, "min_attempts">]?: string } & { readonly min_attempts?: string | number };

const oneOf = (values: readonly string[], description: string) =>
  Type.Optional(Type.Union(values.map(value => Type.Literal(value)) as TLiteral<string>[], { description }) as TUnion<TLiteral<string>[]>);

/** The filter as parameters of a query string. Where no status is given, there is none to filter by. */
export const filterQuery = (types: readonly string[], statuses: readonly string[] = []) => ({
  ...(statuses.length > 0 ? { status: oneOf(statuses, "the state") } : {}),
  type: oneOf(types, "the type of the event"),
  user_id: Type.Optional(text("the user, exactly")),
  error: Type.Optional(text("a part of the last error, in any case")),
  fingerprint: Type.Optional(text("of the last error, as in the groups")),
  min_attempts: Type.Optional(attempts("at least so many attempts")),
  created_from: Type.Optional(moment("made at this time or later")),
  created_to: Type.Optional(moment("made before this time")),
});

export const filterOf = (given: Given): Filter => ({
  status: given.status ?? null,
  type: given.type ?? null,
  user_id: given.user_id ?? null,
  error: given.error ?? null,
  fingerprint: given.fingerprint ?? null,
  min_attempts: given.min_attempts === undefined ? null : Number(given.min_attempts),
  created_from: given.created_from ?? null,
  created_to: given.created_to ?? null,
});

// Whatever the filter and however many rows there are, a page or a group looks at this many, a count at half as many again. What failed lies
// scattered among the others: its text is looked up on a page of its own for each row, so these are fewer.
const scan = 10_000;
const sparse_scan = 1000;
export const countLimits = { most: 10_000, scan: 1.5 * scan, sparse_scan } as const;
export const groupLimits = { limit: 100, scan, sparse_scan } as const;
export const pageScan = ({ status, error }: Filter): number => (status === "FAILED" && error !== null ? sparse_scan : scan);

export interface CountRow {
  readonly status: string;
  readonly count: number;
  readonly more: boolean;
}

export const byStatus = (rows: readonly CountRow[]): Record<string, Omit<CountRow, "status">> =>
  Object.fromEntries(rows.map(({ status, count, more }) => [status, { count, more }]));

/** The rows of a page, and the one after which the next page goes on, if there may be one. */
export function scannedPage<Row extends { readonly matches: boolean; readonly examined: number }>(
  rows: readonly Row[],
  limit: number,
  scanned: number,
) {
  const page = rows.filter(row => row.matches).slice(0, limit);
  const end = rows.at(-1);
  const last = rows.length > limit ? rows[limit - 1] : end?.examined === scanned ? end : undefined;
  return { page: page.map(({ matches, examined, ...row }) => row), last };
}
