import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, type Role } from "../../api/client.ts";
import { byCursor, type User } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";
import { parametersOf, type UsersView } from "./view.ts";

export interface AccountAction {
  readonly audit_id: string;
  readonly at: string;
  /** A user id, or the gateway. */
  readonly actor: string;
  readonly action: string;
  readonly reason: string | null;
  readonly detail: unknown;
}

export interface OpenSession {
  readonly ends_unused_at: string;
  readonly ends_at: string;
}

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
    queryFn: ({ pageParam, signal }) =>
      call<{ audit: AccountAction[]; next_cursor?: string }>(path(one(userId, "audit"), { limit: "20", cursor: pageParam }), { signal }),
    ...byCursor,
  });

export const sessions = (userId: string) =>
  queryOptions({
    queryKey: ["account sessions", userId],
    queryFn: async ({ signal }) => (await call<{ sessions: OpenSession[] }>(path(one(userId, "sessions")), { signal })).sessions,
  });

export type AccountChange =
  | { readonly change: "suspend" | "restore" | "sign-out"; readonly reason: string }
  | { readonly change: "roles"; readonly reason: string; readonly roles: readonly Role[] };

/** The gateway forwards the change as the signed-in user. Account authorizes it and writes the audit log. */
export const changeAccount = (userId: string, { change, ...body }: AccountChange) =>
  call<Partial<User> & { readonly ended?: number }>(path(one(userId, change)), {
    method: change === "roles" ? "PUT" : "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
