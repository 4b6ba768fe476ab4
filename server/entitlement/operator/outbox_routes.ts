import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../../kernel/http/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery, placeOf, placeText } from "../../kernel/http/cursor.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import {
  byStatus,
  countLimits,
  filterOf,
  filterQuery,
  groupLimits,
  groupsOf,
  isNarrow,
  pageScan,
  scannedPage,
} from "../../kernel/operator/filter.ts";
import { orderOf, sortQuery, startOf } from "../../kernel/operator/list_order.ts";
import type { EntitlementSql } from "../sql.gen.ts";

const strict = { additionalProperties: false };
const statuses = ["PENDING", "IN_FLIGHT", "PUBLISHED", "FAILED"] as const;
const types = ["EntitlementGranted", "EntitlementRevoked"];

/** The outbox as an operator looks through it. However much there is, and whatever is asked for, an answer costs about the same. */
export function outboxRoutes(sql: EntitlementSql, requires: Requires, cursors: () => Cursors, share: Share) {
  const { counts, counts_all, oldest_pending, page, groups } = sql.outbox;
  const [countAll, countSome, oldestPending] = [share(counts_all), share(counts), share(oldest_pending)];
  const [list, group, groupRetrying] = [share(page), share(groups), share(sql.outbox.groups_retrying)];
  // Every order is that of an index.
  const [waiting, leased, tried] = [share(sql.outbox.page_waiting), share(sql.outbox.page_held), share(sql.outbox.page_failed_attempts)];
  const lastFirst = (walk: typeof sql.outbox.page_failed_at) => {
    const shared = share(walk);
    return ({ after_at: before_at, after_event_id: before_event_id, ...asked }: Parameters<typeof waiting>[0]) =>
      shared({ ...asked, before_at, before_event_id });
  };
  const walks = {
    due: waiting,
    leases: leased,
    retrying: lastFirst(sql.outbox.page_retrying),
    failed: lastFirst(sql.outbox.page_failed_at),
    attempts: ({ after_at, after_event_id: before_event_id, ...asked }: Parameters<typeof waiting>[0]) =>
      tried({ ...asked, before_attempts: Number(after_at), before_event_id }),
  };
  return new Elysia({ normalize: false })
    .get(
      "/ops/outbox/counts",
      async ({ query }) => {
        const filter = filterOf(query);
        const limits = countLimits(filter);
        const [rows, [oldest]] = await Promise.all([
          isNarrow(filter) ? countSome({ ...filter, status: [...statuses, "UNCONFIRMED", "RETRYING"], ...limits }) : countAll(limits),
          oldestPending(),
        ]);
        const { UNCONFIRMED: unconfirmed, RETRYING: retrying, ...counts } = byStatus(rows);
        return { counts, oldest_pending_at: oldest!.oldest_pending_at, unconfirmed, retrying };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many events match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: with a filter, no more than 10,000 events are looked at, 1,000 in a span of time, and by their state no more than 200 that are PENDING or IN_FLIGHT, or FAILED if a part of the error is asked for. All are of one moment. `oldest_pending_at` is of all events. `unconfirmed` are those PUBLISHED that notification is not known to hold; `retrying` are those PENDING that failed before and wait for their next attempt. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/outbox",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const scan = pageScan(filter);
        const order = orderOf(filter, query.sort, "IN_FLIGHT");
        const name = `outbox ${JSON.stringify(filter)}${query.sort === undefined ? "" : ` ${query.sort}`}`;
        const position = query.cursor === undefined ? undefined : cursors().read(name, query.cursor);
        if (order !== "created") {
          const { at: after_at, id: after_event_id } = position === undefined ? startOf(order) : placeOf(position);
          const rows = await walks[order]({ ...filter, after_at, after_event_id, limit: limit + 1, scan });
          const { page, last } = scannedPage(rows, limit, scan);
          const next_cursor = last && cursors().make(name, placeText({ at: last.at, id: last.event_id }));
          return { events: page.map(({ at, ...row }) => row), ...(next_cursor ? { next_cursor } : {}) };
        }
        const rows = await list({ ...filter, before_event_id: position ?? highestUuid, limit: limit + 1, scan });
        const { page, last } = scannedPage(rows, limit, scan);
        return { events: page, ...(last ? { next_cursor: cursors().make(name, last.event_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, [...statuses, "RETRYING"]), ...sortQuery, ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Events that match",
          description:
            "Newest first, except that PENDING ones come in the order in which they are due, RETRYING ones with the last failure first, and IN_FLIGHT ones in the order in which their leases end, unless a user is given. RETRYING are those PENDING that failed before. FAILED ones can be sorted; a cursor belongs to its order. `failed_at` is when the last attempt failed. A page looks at no more than 10,000 events, or 250 that are PENDING, RETRYING, IN_FLIGHT or FAILED: it may be short, or empty, and still have a next_cursor to go on with. One that changes its place meanwhile may be on two pages. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/outbox/groups",
      async ({ query }) => {
        const filter = filterOf(query);
        const ask = filter.status === "RETRYING" ? groupRetrying : group;
        return groupsOf(await ask({ ...filter, ...groupLimits(filter) }));
      },
      {
        query: Type.Object(filterQuery(types, ["FAILED", "RETRYING"]), strict),
        ...requires("ops:read"),
        detail: {
          summary: "FAILED events, or RETRYING ones, by their error, largest group first",
          description:
            "Every cause, up to 100; `more` says that there are further ones. Of all groups together the newest 2,000 events are looked at (250 for a part of the error), each group has its share; `more` of a group says that it has, or may have, more than were counted. `first_at` and `last_at` are times of failure. With status=RETRYING the groups are of those that failed before and wait, the last 2,000 that failed, and `next_at` is the first next attempt. Scope: ops:read.",
        },
      },
    );
}
