import { type TLiteral, type TUnion, Type } from "@sinclair/typebox";
import { attempts, moment, text } from "../http/text.ts";

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
  ...(statuses.length > 0
    ? { status: oneOf(statuses, "the state; RETRYING are those PENDING that failed before and wait for their next attempt") }
    : {}),
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

const isOfATime = ({ created_from, created_to }: Filter) => created_from !== null || created_to !== null;
/** Whether anything but a state is asked for. */
export const isNarrow = ({ status, ...others }: Filter) => Object.values(others).some(value => value !== null);

// A filter may match one row in a million: whatever it is, an answer looks at no more rows than these. What the index of a state leads to lies
// scattered in the table; by id one row lies beside the next.
const scattered = { aPage: 250, aCount: 200 } as const;
const ofATime = 1000;
const inARow = 10_000;

/** Without a filter a count is exact up to 10,000: it takes one more row to say that there are more, and by id rows of other states are passed. */
export const countLimits = (filter: Filter) => ({
  most: 10_000,
  scan: isNarrow(filter) ? scattered.aCount : 10_001,
  scan_all: isOfATime(filter) ? ofATime : isNarrow(filter) ? inARow : 15_000,
});

/** One group more than are shown says that there are more. All but the text of an error is in the index. */
export const shownGroups = 100;
export const groupLimits = ({ error }: Filter) => ({
  limit: shownGroups + 1,
  scan: error === null ? 2000 : scattered.aPage,
  scan_user: inARow,
});

/** What a page of a state's own index may look at, or else one by id. */
export const pageScan = ({ status, user_id }: Filter): number =>
  user_id === null && status !== null && !["PUBLISHED", "SENT"].includes(status) ? scattered.aPage : inARow;

export interface CountRow {
  readonly status: string;
  readonly count: number;
  readonly more: boolean;
}

export const byStatus = (rows: readonly CountRow[]): Record<string, Omit<CountRow, "status">> =>
  Object.fromEntries(rows.map(({ status, count, more }) => [status, { count, more }]));

/** The groups of whom some match, and whether there are more causes than were looked at. */
export const groupsOf = <Row extends { readonly count: number; readonly more: boolean }>(rows: readonly Row[]) => ({
  groups: rows.filter(({ count }) => count > 0).slice(0, shownGroups),
  more: rows.length > shownGroups || rows.some(({ count, more }) => count === 0 && more),
});

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
