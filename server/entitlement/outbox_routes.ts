import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../kernel/cursor.ts";
import { byStatus, countLimits, filterOf, filterQuery, groupLimits, pageScan, scannedPage } from "../kernel/filter.ts";
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
        const [rows, [oldest]] = await Promise.all([
          sql.outbox.counts({ ...filterOf(query), status: [...statuses, "UNCONFIRMED"], ...countLimits }),
          sql.outbox.oldest_pending(),
        ]);
        const { UNCONFIRMED: unconfirmed, ...counts } = byStatus(rows);
        return { counts, oldest_pending_at: oldest!.oldest_pending_at, unconfirmed };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many events match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: no more than 15,000 events of a state are looked at, and no more than 1,000 FAILED ones for a part of their error. All are of one moment. `oldest_pending_at` is of all events. `unconfirmed` are those PUBLISHED that notification is not known to hold. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/outbox",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const scan = pageScan(filter);
        const list = `outbox ${JSON.stringify(filter)}`;
        const before_event_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
        const rows = await sql.outbox.page({ ...filter, before_event_id, limit: limit + 1, scan });
        const { page, last } = scannedPage(rows, limit, scan);
        return { events: page, ...(last ? { next_cursor: cursors().make(list, last.event_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, statuses), ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Events that match, newest first",
          description:
            "A page looks at no more than 10,000 events, or 1,000 FAILED ones for a part of their error: it may be short, or empty, and still have a next_cursor to go on with. Scope: ops:read.",
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
            "Of the newest 10,000 that failed (1,000 for a part of the error), at most 100 groups; `more` says that there are older ones. Times are those of the events. Scope: ops:read.",
        },
      },
    );
}
