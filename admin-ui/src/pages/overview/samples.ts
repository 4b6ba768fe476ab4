import { queryOptions } from "@tanstack/react-query";
import type { SlowestEvent } from "../../../../server/kernel/operator/flow_routes.ts";
import { get } from "../../api/client.ts";
import type { Match } from "../../api/matchmaking_answers.ts";
import { failedState } from "../../parts/row_kinds.ts";
import { kindOf, type System } from "../../systems.ts";

const day = 1440;
const matchesLookedAt = 100;
// An example need not be of this second.
const staleTime = 30_000;

/** The steps whose slowest event is the example of an objective. */
export const slowestSteps: Readonly<Record<string, readonly [system: System, step: string]>> = {
  "publish-delay": ["entitlement", "published"],
  "delivery-time": ["notification", "sent"],
  "order-outcome": ["orders", "settled"],
};

/** The slowest event of the last day to a step; null if none passed it. */
export const slowestEvent = ([system, step]: readonly [system: System, step: string]) =>
  queryOptions({
    queryKey: ["slowest", system],
    queryFn: context => get<{ slowest: Readonly<Record<string, SlowestEvent>> }>(system, "flow/slowest", { minutes: day }, context),
    select: ({ slowest }) => slowest[step] ?? null,
    staleTime,
  });

const notifications = kindOf("notifications");

/** The notification that failed last; null if none is FAILED now. */
export const newestFailed = queryOptions({
  queryKey: ["newest failed"],
  queryFn: async context => {
    const parameters = { status: failedState(notifications).name, sort: "failed", limit: 1 };
    const page = await get<{ notifications: { notification_id: string }[] }>("notification", notifications.name, parameters, context);
    return page.notifications[0]?.notification_id ?? null;
  },
  staleTime,
});

/** The match of the newest ones whose player waited longest; null if there is none. */
export const longestWait = queryOptions({
  queryKey: ["longest wait"],
  queryFn: async context =>
    longestIn((await get<{ matches: Match[] }>("matchmaking", "matches", { limit: matchesLookedAt }, context)).matches),
  staleTime,
});

export interface LongestWait {
  readonly matchId: string;
  readonly seconds: number;
}

export function longestIn(matches: readonly Pick<Match, "match_id" | "players">[]): LongestWait | null {
  const waits = matches.map(({ match_id, players }) => ({
    matchId: match_id,
    seconds: Math.max(0, ...players.map(({ waited_seconds }) => waited_seconds)),
  }));
  return waits.toSorted((a, b) => b.seconds - a.seconds)[0] ?? null;
}
