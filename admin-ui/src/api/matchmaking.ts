import { queryOptions, useQuery } from "@tanstack/react-query";
import { type MatchTrouble, matchTroublesOf } from "../parts/match_troubles.ts";
import { get } from "./client.ts";
import { useLive } from "./live.ts";
import type { Match, Queues, Ticket } from "./matchmaking_answers.ts";

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

/** The queues, and the troubles of all modes. */
export function useQueues() {
  const query = useQuery({ ...queues, ...useLive() });
  const troubles: readonly MatchTrouble[] = query.data ? matchTroublesOf(query.data.queues) : [];
  return { query, troubles };
}
