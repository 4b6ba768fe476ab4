import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { type Cursors, highestUuid, limitOf, pageQuery } from "../kernel/cursor.ts";
import { byStatus, countLimits, filterOf, filterQuery, groupLimits, pageScan, scannedPage } from "../kernel/filter.ts";
import type { NotificationSql } from "./sql.gen.ts";

const strict = { additionalProperties: false };
const statuses = ["PENDING", "PROCESSING", "SENT", "FAILED"] as const;
const types = ["EntitlementGranted", "EntitlementRevoked"];

/** What is delivered, as an operator looks through it. However much there is, and whatever is asked for, an answer costs about the same. */
export function deliveryRoutes(sql: NotificationSql, requires: Requires, cursors: () => Cursors) {
  return new Elysia({ normalize: false })
    .get(
      "/ops/notifications/counts",
      async ({ query }) => {
        const [rows, [oldest]] = await Promise.all([
          sql.notifications.counts({ ...filterOf(query), status: [...statuses], ...countLimits }),
          sql.notifications.oldest_pending(),
        ]);
        return { counts: byStatus(rows), oldest_pending_at: oldest!.oldest_pending_at };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many notifications match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: no more than 15,000 notifications of a state are looked at, and no more than 1,000 FAILED ones for a part of their error. All are of one moment. `oldest_pending_at` is of all notifications. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const scan = pageScan(filter);
        const list = `notifications ${JSON.stringify(filter)}`;
        const before_notification_id = query.cursor === undefined ? highestUuid : cursors().read(list, query.cursor);
        const rows = await sql.notifications.page({ ...filter, before_notification_id, limit: limit + 1, scan });
        const { page, last } = scannedPage(rows, limit, scan);
        return { notifications: page, ...(last ? { next_cursor: cursors().make(list, last.notification_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, statuses), ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Notifications that match, newest first",
          description:
            "A page looks at no more than 10,000 notifications, or 1,000 FAILED ones for a part of their error: it may be short, or empty, and still have a next_cursor to go on with. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications/groups",
      async ({ query }) => {
        const rows = await sql.notifications.groups({ ...filterOf(query), ...groupLimits });
        return { groups: rows.map(({ more, ...group }) => group), more: rows[0]?.more ?? false };
      },
      {
        query: Type.Object(filterQuery(types, ["FAILED"]), strict),
        ...requires("ops:read"),
        detail: {
          summary: "FAILED notifications by their error, largest group first",
          description:
            "Of the newest 10,000 that failed (1,000 for a part of the error), at most 100 groups; `more` says that there are older ones. Times are those of the notifications. Scope: ops:read.",
        },
      },
    );
}
