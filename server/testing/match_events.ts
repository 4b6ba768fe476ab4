import { create, toBinary } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { type MatchEvent, MatchEventSchema, type Player, PlayerSchema } from "../gen/kenri/matchmaking/v1/match_event_pb.ts";
import { ensureStream } from "../kernel/nats/streams.ts";
import { continueTrace } from "../kernel/telemetry/trace.ts";
import { signedHeaders } from "./events.ts";
import type { TestKenri } from "./kenri.ts";
import { putUnsigned, withNats } from "./stream.ts";

export type PlayerFacts = Partial<Omit<Player, "$typeName" | "$unknown">>;
export type MatchFacts = Partial<Omit<MatchEvent, "$typeName" | "$unknown" | "players">> & { readonly players?: readonly PlayerFacts[] };

export interface MatchMessage {
  readonly event: MatchEvent;
  readonly data: Uint8Array;
  readonly headers: Record<string, string>;
}

const playerOf = (facts: PlayerFacts, index: number): Player =>
  create(PlayerSchema, {
    userId: `player-${index}`,
    ticketId: Bun.randomUUIDv7(),
    joinId: crypto.randomUUID(),
    noticeId: crypto.randomUUID(),
    joinedAt: timestampNow(),
    traceparent: continueTrace(undefined).traceparent,
    ...facts,
  });

/** A match as matchmaking's relay would publish it, with these facts changed, and its headers. It is not signed. */
export function matchMessage({ players = [{}, {}], ...facts }: MatchFacts = {}): MatchMessage {
  const event = create(MatchEventSchema, {
    matchId: Bun.randomUUIDv7(),
    eventType: "MatchFound",
    occurredAt: timestampNow(),
    mode: "casual",
    session: crypto.randomUUID(),
    ...facts,
    players: players.map(playerOf),
  });
  const { traceparent = "" } = event.players[0] ?? {};
  return {
    event,
    data: toBinary(MatchEventSchema, event),
    headers: { "Nats-Msg-Id": event.matchId, event_type: event.eventType, aggregate_key: event.matchId, traceparent },
  };
}

/** Makes the stream of match events. In production matchmaking's relay does. */
export const makeMatchStream = (kenri: TestKenri): Promise<void> =>
  withNats(kenri, async nats => {
    const { MATCHMAKING_STREAM: name, MATCHMAKING_SUBJECT: subject } = kenri.environment;
    await ensureStream(nats, { name: name!, subject: subject!, maxAge: 3_600_000, duplicateWindow: 1000, replicas: 1 });
  });

type Message = Pick<MatchMessage, "headers"> & { readonly data: Uint8Array | string };

/** Publishes a match with a valid signature. Returns its sequence. */
export const publishMatch = (kenri: TestKenri, { data, headers }: Message): Promise<number> =>
  publishUnsignedMatch(kenri, { data, headers: signedMatchHeaders(kenri.environment, { data, headers }) });

/** The same with exactly these headers and no signature. */
export const publishUnsignedMatch = (kenri: TestKenri, { data, headers }: Message): Promise<number> =>
  putUnsigned(kenri, data, headers, kenri.environment.MATCHMAKING_SUBJECT!);

export const signedMatchHeaders = (environment: TestKenri["environment"], { data, headers }: Message): Record<string, string> =>
  signedHeaders(environment, data, headers, environment.MATCHMAKING_SUBJECT!);
