import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { adminRoutes as accountAdmin } from "../../../../server/account/admin_routes.ts";
import type { erasureRoutes as accountErasures } from "../../../../server/account/erasure_routes.ts";
import type { adminRoutes as gatewayAdmin } from "../../../../server/gateway/console/admin_routes.ts";
import type { ErasureReport } from "../../../../server/kernel/operator/erasure_routes.ts";
import type { Answer, Role, User } from "../../api/answers.ts";
import { call } from "../../api/client.ts";
import { byCursor } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";
import { parametersOf, type UsersView } from "./view.ts";

type AuditAnswer = Answer<typeof accountAdmin, "admin/users/:user_id/audit">;
type Erasure = Omit<Answer<typeof accountErasures, "admin/erasures/:user_id">, "systems"> & {
  readonly systems: Record<string, ErasureReport>;
};
type SessionsAnswer = Answer<typeof gatewayAdmin, "admin/api/users/:user_id/sessions">;

const path = (rest: string, parameters: Record<string, string | undefined> = {}) => {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `/admin/api/users${rest}${given.length > 0 ? `?${new URLSearchParams(given)}` : ""}`;
};
const one = (userId: string, rest: string) => `/${encodeURIComponent(userId)}/${rest}`;

export const users = (view: UsersView) =>
  infiniteQueryOptions({
    queryKey: ["accounts", parametersOf(view), pageSize()],
    queryFn: ({ pageParam, signal }) =>
      call<{ users: User[]; next_cursor?: string }>(path("", { ...parametersOf(view), limit: String(pageSize()), cursor: pageParam }), {
        signal,
      }),
    ...byCursor,
  });

export const accountAudit = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ["account audit", userId],
    queryFn: ({ pageParam, signal }) => call<AuditAnswer>(path(one(userId, "audit"), { limit: "20", cursor: pageParam }), { signal }),
    ...byCursor,
  });

export const sessions = (userId: string) =>
  queryOptions({
    queryKey: ["account sessions", userId],
    queryFn: async ({ signal }) => (await call<SessionsAnswer>(path(one(userId, "sessions")), { signal })).sessions,
  });

/** By the user while it is not done, and by the pseudonym for good. Null if there is none. */
export const erasure = (id: string) =>
  queryOptions({
    queryKey: ["erasure", id],
    queryFn: ({ signal }) =>
      call<Erasure>(`/admin/api/erasures/${encodeURIComponent(id)}`, { signal }).catch(error => {
        if ((error as { status?: number }).status === 404) return null;
        throw error;
      }),
  });

export type AccountChange =
  | { readonly change: "suspend" | "restore" | "sign-out" | "erase"; readonly reason: string }
  | { readonly change: "roles"; readonly reason: string; readonly roles: readonly Role[] };

/** The gateway forwards the change as the signed-in user. Account authorizes it and writes the audit log. */
export const changeAccount = (userId: string, { change, ...body }: AccountChange) =>
  call<Partial<User> & { readonly ended?: number }>(path(one(userId, change)), {
    method: change === "roles" ? "PUT" : "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
