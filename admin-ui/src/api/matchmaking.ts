import { queryOptions, useQuery } from "@tanstack/react-query";
import { type MatchTrouble, matchTroublesOf } from "../parts/match_troubles.ts";
import { systemsBehind } from "../parts/paused_roles.ts";
import { get } from "./client.ts";
import { useLive } from "./live.ts";
import type { Match, Queues, Ticket } from "./matchmaking_answers.ts";
import { usePausedRoles } from "./pauses.ts";

export const queues = queryOptions({
  queryKey: ["matchmaking", "queues"],
  queryFn: context => get<Queues>("matchmaking", "queues", {}, context),
});

export const match = (id: string) =>
  queryOptions({
    queryKey: ["matchmaking", "match", id],
    queryFn: context => get<Match>("matchmaking", `matches/${encodeURIComponent(id)}`, {}, context),
  });

export const ticket = (id: string) =>
  queryOptions({
    queryKey: ["matchmaking", "ticket", id],
    queryFn: context => get<Ticket>("matchmaking", `tickets/${encodeURIComponent(id)}`, {}, context),
  });

/** The queues, and the troubles of all modes. What an operator has paused is no trouble. */
export function useQueues() {
  const query = useQuery({ ...queues, ...useLive() });
  const paused = usePausedRoles(systemsBehind.matchmaking).map(({ role }) => role);
  const troubles: readonly MatchTrouble[] = query.data ? matchTroublesOf(query.data.queues, paused) : [];
  return { query, troubles };
}
