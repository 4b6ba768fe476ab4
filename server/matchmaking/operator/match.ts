import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import { noticeIdOf } from "../ids.ts";
import type { ModeStore } from "../mode_store.ts";
import { type MatchFacts, readFacts } from "../outbox/match_facts.ts";
import { secondsOf, timeOf } from "../tickets/ticket.ts";

/**
 * `PAIRED`: its event waits for the relay. `PUBLISHED`: the stream has it, notification is not known to. `ANNOUNCED`: notification holds both notices.
 * `VOID`: nobody is told of it, because a request to join was announced in another match.
 */
export const matchStates = ["PAIRED", "PUBLISHED", "ANNOUNCED", "VOID"] as const;
export type MatchState = (typeof matchStates)[number];

export interface MatchPlayer {
  readonly user_id: string;
  readonly ticket_id: string;
  readonly join_id: string;
  /** The event id of the player's notification. */
  readonly notice_id: string;
  readonly joined_at: string | null;
  readonly waited_seconds: number;
  readonly trace_id: string;
}

/** A match as operators see it. */
export interface Match {
  readonly match_id: string;
  readonly mode: string;
  readonly state: MatchState;
  readonly session: string;
  readonly players: readonly MatchPlayer[];
  readonly paired_at: string | null;
  readonly published_at: string | null;
  readonly stream_seq: number | null;
  readonly publish_generation: number;
  readonly announced_at: string | null;
  readonly voided_at: string | null;
  /** Of a void match: why. Of a match that is not published: the last error, if there was one. */
  readonly why: string | null;
  readonly trace_id: string;
}

/** Reads a match; undefined if the mode does not have it. */
export async function readMatch(store: ModeStore, matchId: string): Promise<Match | undefined> {
  const fields = await store.matchFields(matchId);
  if (fields.event === undefined) return undefined;
  const { session, paired_at, players } = factsOf(fields.event);
  return {
    match_id: matchId,
    mode: store.mode.name,
    state: fields.state as MatchState,
    session,
    players: players.map(({ user_id, ticket_id, join_id, joined_at, traceparent }) => ({
      user_id,
      ticket_id,
      join_id,
      notice_id: noticeIdOf(matchId, user_id),
      joined_at: timeOf(joined_at),
      waited_seconds: secondsOf((paired_at ?? joined_at) - joined_at),
      trace_id: traceIdOf(traceparent),
    })),
    paired_at: timeOf(paired_at),
    published_at: timeOf(fields.published_at),
    stream_seq: fields.stream_seq === undefined ? null : Number(fields.stream_seq),
    publish_generation: Number(fields.generation ?? 0),
    announced_at: timeOf(fields.announced_at),
    voided_at: timeOf(fields.voided_at),
    why: fields.why ?? (players.length === 0 ? "its event cannot be read" : null),
    trace_id: traceIdOf(players[0]?.traceparent ?? ""),
  };
}

/** A damaged match must not hide the others. */
function factsOf(event: string): Partial<Pick<MatchFacts, "paired_at">> & Pick<MatchFacts, "session" | "players"> {
  try {
    return readFacts(event);
  } catch {
    return { session: "", players: [] };
  }
}
