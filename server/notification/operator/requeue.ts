import { unclaimed } from "../../kernel/delivery/claim_on_write.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { isRefused } from "../../kernel/postgres/database.ts";
import { acceptArrivals } from "../intake/arrivals.ts";
import { readMessage, readTrusted } from "../intake/incoming.ts";
import type { NotificationSql } from "../sql.gen.ts";

export interface Action {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
}

export type Requeued =
  | { readonly outcome: "requeued" }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Puts a FAILED notification back, once and audited. Asking again for one that is back already gives the same answer. */
export async function requeueNotification(sql: NotificationSql, { id, actor, reason }: Action): Promise<Requeued> {
  const [back] = await sql.notifications.requeue({ notification_id: [id], actor, reason });
  if (back) return { outcome: "requeued" };
  const [notification] = await sql.notifications.find({ notification_id: id });
  if (!notification) return { outcome: "unknown" };
  return notification.requeued_at === null ? { outcome: "not_failed", status: notification.status } : { outcome: "requeued" };
}

export type Reprocessed =
  | { readonly outcome: "taken_in" }
  | { readonly outcome: "unreadable" | "untrusted"; readonly reason: string }
  | { readonly outcome: "unknown" };

export interface Reprocessing {
  readonly channel: string;
  readonly signatures: Signatures;
}

/** Reads a raw dead letter again, after a fix, by all the rules; one that was not trusted with today's keys. Taken in as any event is, so twice changes nothing. */
export async function reprocessRaw(sql: NotificationSql, action: Action, { channel, signatures }: Reprocessing): Promise<Reprocessed> {
  const { id, actor, reason } = action;
  const [letter] = await sql.raw_dead_letters.find({ id });
  if (!letter) return { outcome: "unknown" };
  if (letter.reprocessed_at !== null) return { outcome: "taken_in" };
  const { subject, data, received_at } = letter;
  const message = { subject, data, headers: letter.headers as Record<string, string>, arrivedAt: Date.parse(received_at) };
  // What was trusted when it came stays trusted: its key may have been replaced since, and the outbox counts it as delivered.
  const read = letter.untrusted === null ? readTrusted(message) : readMessage(message, signatures);
  if (read.kind === "probe") return { outcome: "unreadable", reason: "it is a probe of the stream and holds no event" };
  if (read.kind === "refused") return { outcome: read.untrusted === null ? "unreadable" : "untrusted", reason: read.reason };
  const { event } = read;
  try {
    await acceptArrivals(sql, {
      event_id: [event.eventId],
      event_type: [event.eventType],
      aggregate_key: [event.aggregateKey],
      aggregate_version: [event.version],
      stream_seq: [letter.stream_seq],
      user_id: [event.userId],
      payload: [event.payload],
      traceparent: [event.traceparent],
      through: new Map([[event.aggregateKey, { version: event.version, at: event.version }]]), // a person asks for it now
      channel,
      ...unclaimed,
    });
  } catch (error) {
    if (!isRefused(error)) throw error;
    return { outcome: "unreadable", reason: `cannot be stored: ${(error as Error).message}` };
  }
  await sql.raw_dead_letters.reprocessed({ id, actor, reason });
  return { outcome: "taken_in" };
}
