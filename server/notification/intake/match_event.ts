import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { modePattern } from "../../contracts/match_events.ts";
import { type MatchEvent, MatchEventSchema, type Player } from "../../gen/kenri/matchmaking/v1/match_event_pb.ts";
import { continueTrace, isReadableTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";
import {
  type Decoded,
  disagreementOf,
  faultOfText,
  faultOfTime,
  faultOfType,
  faultOfUuid,
  firstFault,
  type Headers,
  isoOf,
  messageOf,
} from "./event_rules.ts";

/** A match as notification stores it: a notice to each player. */
export interface IncomingMatch {
  readonly matchId: string;
  readonly occurredAt: string;
  readonly session: string;
  readonly notices: readonly MatchNotice[];
}

export interface MatchNotice {
  readonly eventId: string;
  readonly joinId: string;
  readonly aggregateKey: string;
  readonly userId: string;
  readonly peerUserIds: readonly string[];
  readonly payload: { [fact: string]: string | string[] };
  readonly traceparent: string;
}

export const matchFound = "MatchFound";
const known = new Set([matchFound]);
// Both times come from the clock of matchmaking's store. A failover may set it back.
const clockTolerance = 60n;

export function decodeMatchEvent(data: Uint8Array, headers: Headers, arrivedAt: number): Decoded<IncomingMatch> {
  const decoded = messageOf(MatchEventSchema, data, headers);
  if ("reason" in decoded) return decoded;
  const match = decoded.event;
  const reason =
    firstFault(faultsOf(match, arrivedAt)) ??
    firstFault(match.players.flatMap((player, index) => faultsOfPlayer(player, `players[${index}]`, match.occurredAt!, arrivedAt))) ??
    firstFault(repetitionsIn(match.players)) ??
    firstFault(disagreementsOf(match, headers));
  if (reason) return { cause: "invalid", reason };
  const { matchId, session } = match;
  const notices = match.players.map(player => noticeOf(match, player));
  return { event: { matchId, occurredAt: isoOf(match.occurredAt!), session, notices } };
}

function noticeOf({ matchId, mode, session, occurredAt, players }: MatchEvent, player: Player): MatchNotice {
  const { userId, ticketId, joinId, noticeId, joinedAt } = player;
  const traceparent = isReadableTrace(player.traceparent) ? player.traceparent : continueTrace(null).traceparent;
  const peerUserIds = players.filter(one => one !== player).map(one => one.userId);
  return {
    eventId: noticeId,
    joinId,
    aggregateKey: `match:${matchId}:${userId}`,
    userId,
    peerUserIds,
    payload: {
      user_id: userId,
      match_id: matchId,
      mode,
      ticket_id: ticketId,
      peer_user_ids: peerUserIds,
      session,
      joined_at: isoOf(joinedAt!),
      occurred_at: isoOf(occurredAt!),
      trace_id: traceIdOf(traceparent),
    },
    traceparent,
  };
}

const faultsOf = ({ matchId, eventType, mode, session, players, occurredAt }: MatchEvent, arrivedAt: number): (string | undefined)[] => [
  faultOfUuid("match_id", matchId),
  faultOfType(known, eventType),
  modePattern.test(mode) ? undefined : "mode must be a lower-case letter and up to 31 of a-z, 0-9, _ and -",
  faultOfUuid("session", session),
  faultOfTime("occurred_at", occurredAt, arrivedAt),
  players.length === 2 ? undefined : `players must be 2, not ${players.length}`,
];

const faultsOfPlayer = (player: Player, name: string, occurredAt: Timestamp, arrivedAt: number): (string | undefined)[] => [
  faultOfText(`${name}.user_id`, player.userId),
  faultOfUuid(`${name}.ticket_id`, player.ticketId),
  faultOfUuid(`${name}.join_id`, player.joinId),
  faultOfUuid(`${name}.notice_id`, player.noticeId),
  faultOfTime(`${name}.joined_at`, player.joinedAt, arrivedAt),
  player.joinedAt && player.joinedAt.seconds > occurredAt.seconds + clockTolerance
    ? `${name}.joined_at must not be later than occurred_at`
    : undefined,
  player.traceparent === "" || isReadableTrace(player.traceparent)
    ? undefined
    : `${name}.traceparent must be a W3C trace context such as 00-<trace>-<span>-01, or empty`,
];

/** The same id twice: two players must differ in each of them. */
const repetitionsIn = (players: readonly Player[]): (string | undefined)[] =>
  (["userId", "ticketId", "joinId", "noticeId"] as const).map(member =>
    new Set(players.map(player => player[member])).size < players.length
      ? `players must have different ${member.replace(/Id$/, "_id")}s`
      : undefined,
  );

const disagreementsOf = (match: MatchEvent, headers: Headers): (string | undefined)[] => [
  disagreementOf(headers, ["match_id", match.matchId], match.eventType),
  headers.aggregate_key === match.matchId ? undefined : "the header aggregate_key must be the match_id of the event",
];
