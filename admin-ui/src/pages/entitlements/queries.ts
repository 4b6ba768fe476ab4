import { infiniteQueryOptions } from "@tanstack/react-query";
import { type Action, get } from "../../api/client.ts";
import { byCursor, userPath } from "../../api/queries.ts";

export interface Holding {
  readonly stock_keeping_unit: string;
  readonly status: "ACTIVE" | "REVOKED";
  readonly version: number;
  readonly updated_at: string;
}

export interface HistoryEntry {
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

const pageSize = 50;
const itemsAtOnce = 100;

interface HoldingsPage {
  readonly entitlements: readonly Holding[];
  readonly next_cursor?: string;
}

export const holdings = (user: string, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ["holdings", user, asOf],
    queryFn: ({ pageParam, ...context }) =>
      get<HoldingsPage>("entitlement", userPath(user, "entitlements"), { as_of: asOf, limit: itemsAtOnce, cursor: pageParam }, context),
    ...byCursor,
  });

export const history = (user: string) =>
  infiniteQueryOptions({
    queryKey: ["history", user],
    queryFn: ({ pageParam, ...context }) =>
      get<{ history: HistoryEntry[]; next_cursor?: string }>(
        "entitlement",
        userPath(user, "history"),
        { limit: pageSize, cursor: pageParam },
        context,
      ),
    ...byCursor,
  });
