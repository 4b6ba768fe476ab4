import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { Show } from "../parts/user_view.ts";
import { type Action, ask } from "./api.ts";

export interface Holding {
  readonly stock_keeping_unit: string;
  readonly status: "ACTIVE" | "REVOKED";
  readonly version: number;
  readonly updated_at: string;
}

export interface Past {
  readonly event_id: string;
  readonly stock_keeping_unit: string;
  readonly status: "ACTIVE" | "REVOKED";
  readonly version: number;
  readonly at: string;
  readonly previous_at: string | null;
  readonly client_id: string;
  readonly reason: string;
  readonly purchase_id: string;
  readonly trace_id: string;
  readonly actions: readonly Action[];
}

/** One that was delivered says nothing of its attempts where only those are shown. */
export interface Letter {
  readonly notification_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly status: string;
  readonly stale: boolean;
  readonly attempt_count?: number;
  readonly last_error?: string | null;
  readonly created_at: string;
  readonly sent_at: string | null;
  readonly position: number | null;
  readonly read_at: string | null;
  readonly payload: unknown;
}

export interface InboxPage {
  readonly notifications: readonly Letter[];
  readonly unread: number;
  readonly next_cursor?: string;
}

const pageSize = 50;
const itemsAtOnce = 100;
const pathOf = (user: string, what: string) => `users/${encodeURIComponent(user)}/${what}`;
const paging = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { readonly next_cursor?: string }) => page.next_cursor,
};

interface HoldingsPage {
  readonly entitlements: readonly Holding[];
  readonly next_cursor?: string;
}

export const holdings = (user: string, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ["holdings", user, asOf],
    queryFn: ({ pageParam, ...asking }) =>
      ask<HoldingsPage>("entitlement", pathOf(user, "entitlements"), { as_of: asOf, limit: itemsAtOnce, cursor: pageParam }, asking),
    ...paging,
  });

/** Whether a user has, or had, anything at all. */
export const holdsAny = (user: string) =>
  queryOptions({
    queryKey: ["holds-any", user],
    queryFn: async asking =>
      (await ask<HoldingsPage>("entitlement", pathOf(user, "entitlements"), { limit: 1 }, asking)).entitlements.length > 0,
  });

export const history = (user: string) =>
  infiniteQueryOptions({
    queryKey: ["history", user],
    queryFn: ({ pageParam, ...asking }) =>
      ask<{ history: Past[]; next_cursor?: string }>(
        "entitlement",
        pathOf(user, "history"),
        { limit: pageSize, cursor: pageParam },
        asking,
      ),
    ...paging,
  });

export const inbox = (user: string, show: Show) =>
  infiniteQueryOptions({
    queryKey: ["inbox", user, show],
    queryFn: ({ pageParam, ...asking }) =>
      ask<InboxPage>("notification", pathOf(user, "inbox"), { show, limit: pageSize, cursor: pageParam }, asking),
    ...paging,
  });
