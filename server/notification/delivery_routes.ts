import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { type Cursors, firstPlace, highestUuid, limitOf, pageQuery, placeOf, placeText } from "../kernel/cursor.ts";
import { byStatus, countLimits, filterOf, filterQuery, groupLimits, groupsOf, isNarrow, pageScan, scannedPage } from "../kernel/filter.ts";
import type { Share } from "../kernel/shared_answers.ts";
import type { NotificationSql } from "./sql.gen.ts";

const strict = { additionalProperties: false };
const statuses = ["PENDING", "PROCESSING", "SENT", "FAILED"] as const;
const types = ["EntitlementGranted", "EntitlementRevoked"];

/** What is delivered, as an operator looks through it. However much there is, and whatever is asked for, an answer costs about the same. */
export function deliveryRoutes(sql: NotificationSql, requires: Requires, cursors: () => Cursors, share: Share) {
  const { counts, counts_all, oldest_pending, page, groups } = sql.notifications;
  const [countAll, countSome, oldestPending] = [share(counts_all), share(counts), share(oldest_pending)];
  const [list, group] = [share(page), share(groups)];
  // What is on its way is listed in the order in which something happens to it; its indexes have that order.
  const orders = new Map([
    ["PENDING" as string | null, share(sql.notifications.page_waiting)],
    ["PROCESSING", share(sql.notifications.page_held)],
  ]);
  return new Elysia({ normalize: false })
    .get(
      "/ops/notifications/counts",
      async ({ query }) => {
        const filter = filterOf(query);
        const limits = countLimits(filter);
        const [rows, [oldest]] = await Promise.all([
          isNarrow(filter) ? countSome({ ...filter, status: [...statuses], ...limits }) : countAll(limits),
          oldestPending(),
        ]);
        return { counts: byStatus(rows), oldest_pending_at: oldest!.oldest_pending_at };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many notifications match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: with a filter, no more than 10,000 notifications are looked at, 1,000 in a span of time, and by their state no more than 200 that are PENDING or PROCESSING, or FAILED if a part of the error is asked for. All are of one moment. `oldest_pending_at` is of all notifications. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const scan = pageScan(filter);
        const name = `notifications ${JSON.stringify(filter)}`;
        const position = query.cursor === undefined ? undefined : cursors().read(name, query.cursor);
        const inTurn = filter.user_id === null && orders.get(filter.status);
        if (inTurn) {
          const { at: after_at, id: after_notification_id } = position === undefined ? firstPlace : placeOf(position);
          const rows = await inTurn({ ...filter, after_at, after_notification_id, limit: limit + 1, scan });
          const { page, last } = scannedPage(rows, limit, scan);
          const next_cursor = last && cursors().make(name, placeText({ at: last.at, id: last.notification_id }));
          return { notifications: page.map(({ at, ...row }) => row), ...(next_cursor ? { next_cursor } : {}) };
        }
        const rows = await list({ ...filter, before_notification_id: position ?? highestUuid, limit: limit + 1, scan });
        const { page, last } = scannedPage(rows, limit, scan);
        return { notifications: page, ...(last ? { next_cursor: cursors().make(name, last.notification_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, statuses), ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Notifications that match",
          description:
            "Newest first, except that PENDING ones come in the order in which they are due and PROCESSING ones in the order in which their leases end, unless a user is given. A page looks at no more than 10,000 notifications, or 250 that are PENDING, PROCESSING or FAILED: it may be short, or empty, and still have a next_cursor to go on with. One that changes its place meanwhile may be on two pages. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications/groups",
      async ({ query }) => {
        const filter = filterOf(query);
        return groupsOf(await group({ ...filter, ...groupLimits(filter) }));
      },
      {
        query: Type.Object(filterQuery(types, ["FAILED"]), strict),
        ...requires("ops:read"),
        detail: {
          summary: "FAILED notifications by their error, largest group first",
          description:
            "Every cause, up to 100; `more` says that there are further ones. Of all groups together the newest 2,000 notifications are looked at (250 for a part of the error), each group has its share; `more` of a group says that it has, or may have, more than were counted. Times are those of the notifications. Scope: ops:read.",
        },
      },
    );
}
