import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../kernel/cursor.ts";
import { countLimits, filterOf, filterQuery, groupLimits, pageScan, scannedPage } from "../kernel/filter.ts";
import type { EntitlementSql } from "./sql.gen.ts";

const strict = { additionalProperties: false };
const statuses = ["PENDING", "IN_FLIGHT", "PUBLISHED", "FAILED"] as const;
const types = ["EntitlementGranted", "EntitlementRevoked"];

/** The outbox as an operator looks through it. However much there is, and whatever is asked for, an answer costs about the same. */
export function outboxRoutes(sql: EntitlementSql, requires: Requires, cursors: () => Cursors) {
  return new Elysia({ normalize: false })
    .get(
      "/ops/outbox/counts",
      async ({ query }) => {
        const countOf = async (status: string) => (await sql.outbox.count({ ...filterOf(query), status, ...countLimits }))[0]!;
        const [counts, unconfirmed, [oldest]] = await Promise.all([
          Promise.all(statuses.map(async status => [status, await countOf(status)] as const)),
          countOf("UNCONFIRMED"),
          sql.outbox.oldest_pending(),
        ]);
        return { counts: Object.fromEntries(counts), oldest_pending_at: oldest!.oldest_pending_at, unconfirmed };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many events match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: no more than 20,000 events are looked at. `oldest_pending_at` is of all events. `unconfirmed` are those PUBLISHED that notification is not known to hold. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/outbox",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const list = `outbox ${JSON.stringify(filter)}`;
        const before_event_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
        const rows = await sql.outbox.page({ ...filter, before_event_id, limit: limit + 1, scan: pageScan });
        const { page, last } = scannedPage(rows, limit);
        return { events: page, ...(last ? { next_cursor: cursors().make(list, last.event_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, statuses), ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Events that match, newest first",
          description:
            "A page looks at no more than 10,000 events: it may be short, or empty, and still have a next_cursor to go on with. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/outbox/groups",
      async ({ query }) => {
        const rows = await sql.outbox.groups({ ...filterOf(query), ...groupLimits });
        return { groups: rows.map(({ more, ...group }) => group), more: rows[0]?.more ?? false };
      },
      {
        query: Type.Object(filterQuery(types, ["FAILED"]), strict),
        ...requires("ops:read"),
        detail: {
          summary: "FAILED events by their error, largest group first",
          description:
            "Of the newest 10,000 that failed, at most 100 groups; `more` says that there are older ones. Times are those of the events. Scope: ops:read.",
        },
      },
    );
}
