import type { RoleState } from "../../../server/kernel/operator/pause_routes.ts";
import type { KindName, WatchedSystem } from "../systems.ts";

/** A role that operators have paused. */
export type PausedRole = RoleState & { readonly paused: NonNullable<RoleState["paused"]> };

export const pausedIn = (roles: readonly RoleState[]): PausedRole[] => roles.filter((one): one is PausedRole => one.paused !== null);

export const systemOfRole = (role: string): WatchedSystem => role.slice(0, role.indexOf(":")) as WatchedSystem;
export const nameOfRole = (role: string): string => role.slice(role.indexOf(":") + 1);

/** `entitlement:relay` → `relay of entitlement`. */
export const roleWords = (role: string): string => `${nameOfRole(role)} of ${systemOfRole(role)}`;

/** What a pause does to the objectives: they are what users see, whatever the reason. The age of the backlog pages after 72 % of an hour. */
export const pauseCosts = (role: string): string =>
  `The objectives go on counting, so a long pause uses up error budget and can page somebody${role === "entitlement:relay" ? ", after about 45 minutes if events wait" : ""}.`;

/** The systems whose pauses hold up what a page shows: events pass through two systems, and so do matches. */
export const systemsBehind: Readonly<Record<KindName | "matchmaking", readonly WatchedSystem[]>> = {
  outbox: ["entitlement", "notification"],
  notifications: ["entitlement", "notification"],
  orders: ["orders"],
  matchmaking: ["matchmaking", "notification"],
};
