import { unclaimed } from "../../kernel/delivery/claim_on_write.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import type { ActionRequest } from "../../kernel/operator/row_actions.ts";
import { isRefused } from "../../kernel/postgres/database.ts";
import { acceptArrivals } from "../intake/arrivals.ts";
import { readMessage, readTrusted } from "../intake/incoming.ts";
import type { NotificationSql } from "../sql.gen.ts";

export type Reprocessed =
  | { readonly outcome: "taken_in" }
  | { readonly outcome: "unreadable" | "untrusted"; readonly reason: string }
  | { readonly outcome: "unknown" };

export interface Reprocessing {
  readonly channel: string;
  readonly signatures: Signatures;
}

/**
 * Reads a raw dead letter again, after a fix, by all the rules. An untrusted one is checked with today's keys. It is consumed as any other event, so
 * a second time changes nothing.
 */
export async function reprocessRaw(
  sql: NotificationSql,
  action: ActionRequest,
  { channel, signatures }: Reprocessing,
): Promise<Reprocessed> {
  const { id, actor, reason } = action;
  const [letter] = await sql.raw_dead_letters.find({ id });
  if (!letter) return { outcome: "unknown" };
  if (letter.reprocessed_at !== null) return { outcome: "taken_in" };
  const { subject, data, received_at } = letter;
  const message = { subject, data, headers: letter.headers as Record<string, string>, arrivedAt: Date.parse(received_at) };
  // A message that was trusted on arrival stays trusted: its key may have been replaced since, and the outbox counts it as delivered.
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
      through: new Map([[event.aggregateKey, { version: event.version, at: event.version }]]), // an operator wants it now
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

/** Deletes a raw dead letter; the audit keeps what it was. A second request gets the same answer. */
export async function discardRaw(
  sql: NotificationSql,
  { id, actor, reason }: ActionRequest,
): Promise<{ readonly outcome: "discarded" | "taken_in" | "unknown" }> {
  const [gone] = await sql.raw_dead_letters.discard({ id, actor, reason });
  if (gone) return { outcome: "discarded" };
  const [letter] = await sql.raw_dead_letters.find({ id });
  if (letter) return { outcome: "taken_in" };
  const [before] = await sql.operator_actions.latest({ subject: id.toLowerCase(), action: "raw_dead_letter.discard" });
  return { outcome: before ? "discarded" : "unknown" };
}
