import { queryOptions } from "@tanstack/react-query";
import { ApiError, get } from "../../api/client.ts";
import { type JourneyDeadLetter, type JourneyNotification, noJourney, notificationJourney } from "../../api/journeys.ts";
import type { EndedTicket, Match, Ticket } from "../../api/matchmaking_answers.ts";
import type { EndedStatus } from "./view.ts";

export const matches = (mode: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ["matchmaking", "matches", mode, limit],
    queryFn: context => get<{ matches: readonly Match[] }>("matchmaking", "matches", { mode, limit }, context),
  });

export const endedTickets = (status: EndedStatus, mode: string | undefined, limit: number) =>
  queryOptions({
    queryKey: ["matchmaking", "ended tickets", status, mode, limit],
    queryFn: context => get<{ tickets: readonly EndedTicket[] }>("matchmaking", "ended-tickets", { status, mode, limit }, context),
  });

export const playerTickets = (userId: string) =>
  queryOptions({
    queryKey: ["matchmaking", "player", userId],
    queryFn: async context =>
      (await get<{ tickets: readonly Ticket[] }>("matchmaking", `players/${encodeURIComponent(userId)}/tickets`, {}, context)).tickets,
  });

/** What notification knows of a match: a notice for each player, or the unreadable message. */
export interface Announcement {
  readonly notices: readonly JourneyNotification[];
  readonly letters: readonly JourneyDeadLetter[];
  /** Why notification could not be asked. */
  readonly trouble?: string;
}

export const announcement = ({ match_id, players }: Match) =>
  queryOptions({
    queryKey: ["matchmaking", "announcement", match_id],
    queryFn: async (context): Promise<Announcement> => {
      try {
        const answers = await Promise.all(
          [match_id, ...players.map(({ notice_id }) => notice_id)].map(id => notificationJourney(id, context)),
        );
        return {
          notices: answers.flatMap(({ notifications }) => notifications),
          letters: answers.flatMap(({ raw_dead_letters }) => raw_dead_letters),
        };
      } catch (error) {
        if (context.signal.aborted || !(error instanceof ApiError)) throw error;
        return { notices: noJourney.notifications, letters: noJourney.raw_dead_letters, trouble: error.message };
      }
    },
  });

/** Undefined if there is no such row. Other errors stay errors. */
export const orMissing = (error: unknown) =>
  error instanceof ApiError && (error.status === 404 || error.status === 400) ? undefined : error;
