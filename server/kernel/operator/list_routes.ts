import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery, placeOf, placeText } from "../http/cursor.ts";
import type { Share } from "../http/shared_reads.ts";
import { type Filter, filterOf, filterQuery, isNarrow } from "./filter.ts";
import { type Order, orderOf, sortQuery, startOf } from "./list_order.ts";
import { countLimits, groupLimits, pageScan, shownGroups } from "./read_limits.ts";
import { aboutRetrying, idOf, listedStates, type RowKind, stateThat, storedStates } from "./row_kind.ts";
import { scannedPage } from "./scanned_page.ts";

const strict = { additionalProperties: false };

/** Exact up to a limit, then `more`. */
export interface Count {
  readonly count: number;
  readonly more: boolean;
}

export interface CountRow extends Count {
  readonly status: string;
}

/** The answer to the counts of a kind. A kind with subsets has a member for each. */
export interface RowCounts {
  readonly counts: Readonly<Record<string, Count>>;
  readonly oldest_pending_at: string | null;
  readonly retrying: Count;
}

/** Rows with the same cause. Times are times of failure; the sample is set if any row matches. */
export interface RowGroup extends Count {
  readonly fingerprint: string;
  readonly first_at: string | null;
  readonly last_at: string | null;
  readonly sample_error: string | null;
  readonly sample_id: string | null;
  /** The first next attempt, of retrying rows. */
  readonly next_at?: string | null;
}

export interface RowGroups {
  readonly groups: readonly RowGroup[];
  readonly more: boolean;
}

/** A row that was examined. It is returned to say where the next page starts, even if it does not match. */
type Examined = { readonly matches: boolean; readonly examined: number };
type Placed = Examined & { readonly at: string };
type StateFilter = Omit<Filter, "status" | "user_id">;
type Walk<Start> = (parameters: StateFilter & Start & { limit: number; scan: number }) => Promise<Placed[]>;

export type Counts = (parameters: Omit<Filter, "status"> & { status: string[] } & ReturnType<typeof countLimits>) => Promise<CountRow[]>;

/** The statements that read a kind's table. Every order is that of an index. */
export interface ListSql {
  readonly counts: Counts;
  counts_all(parameters: { most: number; scan_all: number }): Promise<CountRow[]>;
  oldest_pending(): Promise<{ oldest_pending_at: string | null }[]>;
  page(parameters: Filter & { before_id: string; limit: number; scan: number }): Promise<Examined[]>;
  readonly page_waiting: Walk<{ after_at: string; after_id: string }>;
  readonly page_held: Walk<{ after_at: string; after_id: string }>;
  readonly page_retrying: Walk<{ before_at: string; before_id: string }>;
  readonly page_failed_at: Walk<{ before_at: string; before_id: string }>;
  readonly page_failed_attempts: Walk<{ before_attempts: number; before_id: string }>;
  groups(parameters: Filter & ReturnType<typeof groupLimits>): Promise<RowGroup[]>;
  groups_retrying(parameters: Filter & ReturnType<typeof groupLimits>): Promise<RowGroup[]>;
}

export interface ListOptions {
  readonly rows: ListSql;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
  readonly share: Share;
}

const byStatus = (rows: readonly CountRow[]): Record<string, Count> =>
  Object.fromEntries(rows.map(({ status, count, more }) => [status, { count, more }]));

/** The groups with matching rows, and whether there are more causes than were examined. */
const groupsOf = (rows: readonly RowGroup[]): RowGroups => ({
  groups: rows.filter(({ count }) => count > 0).slice(0, shownGroups),
  more: rows.length > shownGroups || rows.some(({ count, more }) => count === 0 && more),
});

/** A walk in each order except newest first, all with the same parameters. */
function walksOf(rows: ListSql, share: Share): Record<Exclude<Order, "created">, Walk<{ at: string; id: string }>> {
  const ascending = (walk: ListSql["page_waiting"]) => {
    const shared = share(walk);
    return ({ at: after_at, id: after_id, ...asked }: Parameters<Walk<{ at: string; id: string }>>[0]) =>
      shared({ ...asked, after_at, after_id });
  };
  const descending = (walk: ListSql["page_failed_at"]) => {
    const shared = share(walk);
    return ({ at: before_at, id: before_id, ...asked }: Parameters<Walk<{ at: string; id: string }>>[0]) =>
      shared({ ...asked, before_at, before_id });
  };
  const byAttempts = share(rows.page_failed_attempts);
  return {
    due: ascending(rows.page_waiting),
    leases: ascending(rows.page_held),
    retrying: descending(rows.page_retrying),
    failed: descending(rows.page_failed_at),
    attempts: ({ at, id: before_id, ...asked }) => byAttempts({ ...asked, before_attempts: Number(at), before_id }),
  };
}

/** List, counts and groups of a kind. The cost of an answer depends neither on the number of rows nor on the filter. */
export function listRoutes(kind: RowKind, { rows, requires, cursors, share }: ListOptions) {
  const [countAll, countSome, oldestPending] = [share(rows.counts_all), share(rows.counts), share(rows.oldest_pending)];
  const [newestFirst, group, groupRetrying] = [share(rows.page), share(rows.groups), share(rows.groups_retrying)];
  const walks = walksOf(rows, share);
  const { name: path, many } = kind;
  const [waiting, retrying, held, failed] = (["waiting", "retrying", "held", "failed"] as const).map(
    meaning => stateThat(kind, meaning).name,
  );
  const [stored, subsets] = [storedStates(kind), (kind.subsets ?? []).map(subset => subset.name)];

  async function page(filter: Filter, order: Order, position: string | undefined, limit: number, scan: number) {
    if (order === "created") {
      const read = await newestFirst({ ...filter, before_id: position ?? highestUuid, limit: limit + 1, scan });
      const { page, last } = scannedPage(read, limit, scan);
      return { page, next: last && idOf(kind, last) };
    }
    const { status, user_id, ...asked } = filter;
    const start = position === undefined ? startOf(order) : placeOf(position);
    const { page, last } = scannedPage(await walks[order]({ ...asked, ...start, limit: limit + 1, scan }), limit, scan);
    return { page: page.map(({ at, ...row }) => row), next: last && placeText({ at: last.at, id: idOf(kind, last) }) };
  }

  return new Elysia({ normalize: false })
    .get(
      `/ops/${path}/counts`,
      async ({ query }): Promise<RowCounts> => {
        const filter = filterOf(query);
        const limits = countLimits(filter);
        const [counted, [oldest]] = await Promise.all([
          isNarrow(filter)
            ? countSome({ ...filter, status: [...new Set([...stored, ...subsets, retrying!])], ...limits })
            : countAll(limits),
          oldestPending(),
        ]);
        const all = byStatus(counted);
        return {
          counts: Object.fromEntries(Object.entries(all).filter(([name]) => stored.includes(name))),
          oldest_pending_at: oldest!.oldest_pending_at,
          ...Object.fromEntries(subsets.map(name => [name.toLowerCase(), all[name]])),
          retrying: all[retrying!]!,
        };
      },
      {
        query: Type.Object(filterQuery(kind), strict),
        ...requires("ops:read"),
        detail: {
          summary: `How many ${many} match, by state`,
          description: `Exact up to 10,000; \`more\` says that there are more, or may be: with a filter at most 10,000 ${many} are examined, 1,000 in a span of time, and by their state at most 200 that are ${waiting} or ${held}, or ${failed} if the filter has a part of the error. All counts are of one moment. \`oldest_pending_at\` is of all ${many}. \`retrying\` are those ${waiting} that failed before and wait for their next attempt.${(kind.subsets ?? []).map(subset => ` \`${subset.name.toLowerCase()}\` ${subset.about}.`).join("")} Scope: ops:read.`,
        },
      },
    )
    .get(
      `/ops/${path}`,
      async ({ query }) => {
        const filter = filterOf(query);
        const order = orderOf(kind, filter, query.sort);
        const name = `${path} ${JSON.stringify(filter)}${query.sort === undefined ? "" : ` ${query.sort}`}`;
        const position = query.cursor === undefined ? undefined : cursors().read(name, query.cursor);
        const found = await page(filter, order, position, limitOf(query), pageScan(kind, filter));
        return { [kind.rows]: found.page, ...(found.next === undefined ? {} : { next_cursor: cursors().make(name, found.next) }) };
      },
      {
        query: Type.Object({ ...filterQuery(kind, listedStates(kind)), ...sortQuery(kind), ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: `${many.charAt(0).toUpperCase()}${many.slice(1)} that match`,
          description: `Newest first, with exceptions unless the filter has a user: ${waiting} ones by the time they are due, ${retrying} ones with the last failure first, ${held} ones by the end of their lease. ${aboutRetrying(kind)}. ${failed} ones can be sorted; a cursor belongs to its order. \`failed_at\` is the time of the last failed attempt. A page examines at most 10,000 ${many}, or 250 that are ${waiting}, ${retrying}, ${held} or ${failed}: it may be short or empty and still have a next_cursor. A row that changes its place meanwhile may be on two pages. Scope: ops:read.`,
        },
      },
    )
    .get(
      `/ops/${path}/groups`,
      async ({ query }) => {
        const filter = filterOf(query);
        const read = filter.status === retrying ? groupRetrying : group;
        return groupsOf(await read({ ...filter, ...groupLimits(filter) }));
      },
      {
        query: Type.Object(filterQuery(kind, [failed!, retrying!]), strict),
        ...requires("ops:read"),
        detail: {
          summary: `${failed} ${many}, or ${retrying} ones, by their error, largest group first`,
          description: `Every cause, up to ${shownGroups}; \`more\` says that there are others. The newest 2,000 ${many} of all groups together are examined (250 for a part of the error), an equal share of each; \`more\` of a group says that it has, or may have, more than were counted. \`first_at\` and \`last_at\` are times of failure. With status=${retrying} the groups are of ${many} that failed before and wait: the last 2,000 that failed, and \`next_at\` is the first next attempt. Scope: ops:read.`,
        },
      },
    );
}
