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
import type { NotificationSql } from "../sql.gen.ts";

const strict = { additionalProperties: false };
const statuses = ["PENDING", "PROCESSING", "SENT", "FAILED"] as const;
const types = ["EntitlementGranted", "EntitlementRevoked"];

/** What is delivered, as an operator looks through it. However much there is, and whatever is asked for, an answer costs about the same. */
export function deliveryRoutes(sql: NotificationSql, requires: Requires, cursors: () => Cursors, share: Share) {
  const { counts, counts_all, oldest_pending, page, groups } = sql.notifications;
  const [countAll, countSome, oldestPending] = [share(counts_all), share(counts), share(oldest_pending)];
  const [list, group, groupRetrying] = [share(page), share(groups), share(sql.notifications.groups_retrying)];
  // Every order is that of an index.
  const [waiting, leased, tried] = [
    share(sql.notifications.page_waiting),
    share(sql.notifications.page_held),
    share(sql.notifications.page_failed_attempts),
  ];
  const lastFirst = (walk: typeof sql.notifications.page_failed_at) => {
    const shared = share(walk);
    return ({ after_at: before_at, after_notification_id: before_notification_id, ...asked }: Parameters<typeof waiting>[0]) =>
      shared({ ...asked, before_at, before_notification_id });
  };
  const walks = {
    due: waiting,
    leases: leased,
    retrying: lastFirst(sql.notifications.page_retrying),
    failed: lastFirst(sql.notifications.page_failed_at),
    attempts: ({ after_at, after_notification_id: before_notification_id, ...asked }: Parameters<typeof waiting>[0]) =>
      tried({ ...asked, before_attempts: Number(after_at), before_notification_id }),
  };
  return new Elysia({ normalize: false })
    .get(
      "/ops/notifications/counts",
      async ({ query }) => {
        const filter = filterOf(query);
        const limits = countLimits(filter);
        const [rows, [oldest]] = await Promise.all([
          isNarrow(filter) ? countSome({ ...filter, status: [...statuses, "RETRYING"], ...limits }) : countAll(limits),
          oldestPending(),
        ]);
        const { RETRYING: retrying, ...counts } = byStatus(rows);
        return { counts, oldest_pending_at: oldest!.oldest_pending_at, retrying };
      },
      {
        query: Type.Object(filterQuery(types), strict),
        ...requires("ops:read"),
        detail: {
          summary: "How many notifications match, by state",
          description:
            "Exact up to 10,000; `more` says that there are more, or may be: with a filter, no more than 10,000 notifications are looked at, 1,000 in a span of time, and by their state no more than 200 that are PENDING or PROCESSING, or FAILED if a part of the error is asked for. All are of one moment. `oldest_pending_at` is of all notifications; `retrying` are those PENDING that failed before and wait for their next attempt. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications",
      async ({ query }) => {
        const filter = filterOf(query);
        const limit = limitOf(query);
        const scan = pageScan(filter);
        const order = orderOf(filter, query.sort, "PROCESSING");
        const name = `notifications ${JSON.stringify(filter)}${query.sort === undefined ? "" : ` ${query.sort}`}`;
        const position = query.cursor === undefined ? undefined : cursors().read(name, query.cursor);
        if (order !== "created") {
          const { at: after_at, id: after_notification_id } = position === undefined ? startOf(order) : placeOf(position);
          const rows = await walks[order]({ ...filter, after_at, after_notification_id, limit: limit + 1, scan });
          const { page, last } = scannedPage(rows, limit, scan);
          const next_cursor = last && cursors().make(name, placeText({ at: last.at, id: last.notification_id }));
          return { notifications: page.map(({ at, ...row }) => row), ...(next_cursor ? { next_cursor } : {}) };
        }
        const rows = await list({ ...filter, before_notification_id: position ?? highestUuid, limit: limit + 1, scan });
        const { page, last } = scannedPage(rows, limit, scan);
        return { notifications: page, ...(last ? { next_cursor: cursors().make(name, last.notification_id) } : {}) };
      },
      {
        query: Type.Object({ ...filterQuery(types, [...statuses, "RETRYING"]), ...sortQuery, ...pageQuery }, strict),
        ...requires("ops:read"),
        detail: {
          summary: "Notifications that match",
          description:
            "Newest first, except that PENDING ones come in the order in which they are due, RETRYING ones with the last failure first, and PROCESSING ones in the order in which their leases end, unless a user is given. RETRYING are those PENDING that failed before. FAILED ones can be sorted; a cursor belongs to its order. `failed_at` is when the last attempt failed. A page looks at no more than 10,000 notifications, or 250 that are PENDING, RETRYING, PROCESSING or FAILED: it may be short, or empty, and still have a next_cursor to go on with. One that changes its place meanwhile may be on two pages. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/notifications/groups",
      async ({ query }) => {
        const filter = filterOf(query);
        const ask = filter.status === "RETRYING" ? groupRetrying : group;
        return groupsOf(await ask({ ...filter, ...groupLimits(filter) }));
      },
      {
        query: Type.Object(filterQuery(types, ["FAILED", "RETRYING"]), strict),
        ...requires("ops:read"),
        detail: {
          summary: "FAILED notifications, or RETRYING ones, by their error, largest group first",
          description:
            "Every cause, up to 100; `more` says that there are further ones. Of all groups together the newest 2,000 notifications are looked at (250 for a part of the error), each group has its share; `more` of a group says that it has, or may have, more than were counted. `first_at` and `last_at` are times of failure. With status=RETRYING the groups are of those that failed before and wait, the last 2,000 that failed, and `next_at` is the first next attempt. Scope: ops:read.",
        },
      },
    );
}
