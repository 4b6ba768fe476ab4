import { queryOptions, useQueries } from "@tanstack/react-query";
import type { RoleState } from "../../../server/kernel/operator/pause_routes.ts";
import { type PausedRole, pausedIn } from "../parts/paused_roles.ts";
import type { WatchedSystem } from "../systems.ts";
import { get } from "./client.ts";
import { useLive } from "./live.ts";

/** The roles of a system that can be paused, with their pauses. */
export const pauses = (system: WatchedSystem) =>
  queryOptions({
    queryKey: ["pauses", system],
    queryFn: context => get<{ roles: readonly RoleState[] }>(system, "pauses", {}, context),
  });

/** The paused roles of these systems. */
export function usePausedRoles(systems: readonly WatchedSystem[]): readonly PausedRole[] {
  const live = useLive();
  const results = useQueries({ queries: systems.map(system => ({ ...pauses(system), ...live })) });
  return pausedIn(results.flatMap(({ data }) => data?.roles ?? []));
}
