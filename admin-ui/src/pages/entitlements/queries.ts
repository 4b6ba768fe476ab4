import { infiniteQueryOptions } from "@tanstack/react-query";
import type { userRoutes } from "../../../../server/entitlement/operator/user_routes.ts";
import type { Answer, Narrow } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import { byCursor, userPath } from "../../api/queries.ts";

type HoldingsAnswer = Answer<typeof userRoutes, "ops/users/:user_id/entitlements">;
type HistoryAnswer = Answer<typeof userRoutes, "ops/users/:user_id/history">;
type Status = { status: "ACTIVE" | "REVOKED" };
export type Holding = Narrow<HoldingsAnswer["entitlements"][number], Status>;
export type HistoryEntry = Narrow<HistoryAnswer["history"][number], Status>;

const pageSize = 50;
const itemsAtOnce = 100;

export const holdings = (user: string, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ["holdings", user, asOf],
    queryFn: ({ pageParam, ...context }) =>
      get<Omit<HoldingsAnswer, "entitlements"> & { entitlements: Holding[] }>(
        "entitlement",
        userPath(user, "entitlements"),
        { as_of: asOf, limit: itemsAtOnce, cursor: pageParam },
        context,
      ),
    ...byCursor,
  });

export const history = (user: string) =>
  infiniteQueryOptions({
    queryKey: ["history", user],
    queryFn: ({ pageParam, ...context }) =>
      get<Omit<HistoryAnswer, "history"> & { history: HistoryEntry[] }>(
        "entitlement",
        userPath(user, "history"),
        { limit: pageSize, cursor: pageParam },
        context,
      ),
    ...byCursor,
  });
