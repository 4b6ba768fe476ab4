import { create, toBinary } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { MatchEventSchema, PlayerSchema } from "../../gen/kenri/matchmaking/v1/match_event_pb.ts";
import type { EventMessage } from "../../kernel/nats/publisher.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import { noticeIdOf } from "../ids.ts";
import { isUuid, type MatchFacts, readFacts } from "./match_facts.ts";

/** An entry of the stream in Redis. */
export interface MatchEntry {
  readonly entry: string;
  readonly mode: string;
  readonly matchId: string;
  readonly generation: number;
  readonly event: string;
}

/** Encodes an entry. Throws if it is not the event of a match. */
export function encodeMatch({ mode, matchId, generation, event }: MatchEntry): EventMessage {
  if (!isUuid(matchId) || !Number.isSafeInteger(generation)) throw new Error("the entry lacks a match_id or a generation");
  const facts = readFacts(event);
  const traceparent = facts.players[0]!.traceparent;
  return {
    // The stream drops a repeated id inside the duplicate window, so each generation has its own id.
    id: generation === 0 ? matchId : `${matchId}:r${generation}`,
    userIds: facts.players.map(({ user_id }) => user_id),
    links: facts.players.slice(1).map(player => player.traceparent),
    data: toBinary(MatchEventSchema, messageOf(mode, matchId, facts)),
    headers: {
      event_type: "MatchFound",
      aggregate_key: matchId,
      occurred_at: new Date(facts.paired_at).toISOString().replace("Z", "000Z"),
      trace_id: traceIdOf(traceparent),
      traceparent,
    },
  };
}

const messageOf = (mode: string, matchId: string, { session, paired_at, players }: MatchFacts) =>
  create(MatchEventSchema, {
    matchId,
    eventType: "MatchFound",
    occurredAt: timestamp(paired_at),
    mode,
    session,
    players: players.map(({ user_id, ticket_id, join_id, joined_at, traceparent }) =>
      create(PlayerSchema, {
        userId: user_id,
        ticketId: ticket_id,
        joinId: join_id,
        noticeId: noticeIdOf(matchId, user_id),
        joinedAt: timestamp(joined_at),
        traceparent,
      }),
    ),
  });

const timestamp = (milliseconds: number): Timestamp =>
  create(TimestampSchema, { seconds: BigInt(Math.floor(milliseconds / 1000)), nanos: (milliseconds % 1000) * 1_000_000 });
