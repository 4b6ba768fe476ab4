import { duration, text } from "../kernel/config/config.ts";

/** What matchmaking and notification agree on: the stream of match events and its names, and how long a ticket is remembered. */
export const matchEvents = {
  stream: text("MATCHMAKING_STREAM", "the JetStream stream of match events", "matchmaking-events"),
  subject: text("MATCHMAKING_SUBJECT", "the subject of match events", "matchmaking.events"),
  consumer: text(
    "MATCHMAKING_CONSUMER",
    "notification's durable consumer on the stream of match events",
    "notification-matchmaking-consumer",
  ),
  announcedSubject: text(
    "ANNOUNCED_SUBJECT",
    "the subject on which notification answers which matches it has announced",
    "notification.announced",
  ),
  keep: duration(
    "TICKET_KEEP",
    "how long a ticket is kept after its end; as long its idempotency_key is remembered, and a request to join is announced in one match only",
    "1h",
    { minimum: "1s", maximum: "7d" },
  ),
} as const;

/** The name of a mode. */
export const modePattern = /^[a-z][a-z0-9_-]{0,31}$/;

/** The question to notification: ids of matches, and ids of requests to join. */
export interface AnnouncedQuestion {
  readonly match_ids: readonly string[];
  readonly join_ids: readonly string[];
}

/** The answer. It has only what was asked for. */
export interface AnnouncedAnswer {
  /** The match in which each request to join was announced to its player. */
  readonly joins: readonly AnnouncedJoin[];
  /** Matches that are stored as unreadable messages with a valid signature. */
  readonly unreadable: readonly string[];
}

export interface AnnouncedJoin {
  readonly join_id: string;
  readonly match_id: string;
  readonly peer_user_ids: readonly string[];
  readonly session: string;
  /** When the players were paired. Another match with this request that was made less than `keep` before or after is refused. */
  readonly announced_at: string;
  /** Whether the announcement is younger than `keep`: then every other match with this request is refused. */
  readonly counts: boolean;
}
