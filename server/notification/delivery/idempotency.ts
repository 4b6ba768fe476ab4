import type { NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";
import type { Channel, Sending } from "./channels.ts";

/** The checker of the idempotency pattern: a send that was completed before a crash is settled after it, not repeated. */
export interface IdempotencyChecker {
  isProcessed(key: string): Promise<boolean>;
  /** False if it was completed by somebody else meanwhile. */
  markProcessing(key: string, message: { id: string; type: string }): Promise<boolean>;
  markCompleted(key: string): Promise<void>;
  markFailed(key: string, error: string): Promise<void>;
}

export function idempotencyChecker(sql: NotificationSql["processed_messages"], ttlSeconds: number): IdempotencyChecker {
  return {
    isProcessed: async idempotency_key => (await sql.find({ idempotency_key }))[0]?.completed ?? false,
    markProcessing: async (idempotency_key, { id, type }) =>
      (await sql.mark_processing({ idempotency_key, message_id: id, message_type: type, ttl_seconds: ttlSeconds })).length > 0,
    markCompleted: async idempotency_key => void (await sql.mark_completed({ idempotency_key })),
    markFailed: async (idempotency_key, error) => void (await sql.mark_failed({ idempotency_key, error })),
  };
}

/** How the key of a send is made; each is a string of at most 256 characters. */
export type KeyStrategy = (notification: NotificationsClaimRow) => string;

/** One send a notification. The default. */
export const byMessageId: KeyStrategy = ({ notification_id, channel }) => `${channel}:${notification_id}`;

/** One send a business fact, whatever number of messages tell it. */
export const byBusinessKey =
  (facts: (notification: NotificationsClaimRow) => readonly string[]): KeyStrategy =>
  notification =>
    hashed(JSON.stringify([notification.type, ...facts(notification)]));

/** The id that the outside system gave; the message id where it gave none. */
export const byRequestId =
  (requestId: (notification: NotificationsClaimRow) => string | undefined): KeyStrategy =>
  notification => {
    const id = requestId(notification);
    if (!id) return byMessageId(notification);
    // Cut off, two long ids could become one, and the second send would be taken for done.
    return id.length <= 200 ? `request:${id}` : `request:${hashed(id)}`;
  };

const hashed = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** Puts the checker around a channel that leaves the process. */
export function once(channel: Channel, checker: IdempotencyChecker, keyOf: KeyStrategy = byMessageId): Channel {
  return {
    ...channel,
    async send(notification): Promise<Sending> {
      const key = keyOf(notification);
      if (await checker.isProcessed(key)) return { outcome: "sent" };
      if (!(await checker.markProcessing(key, { id: notification.notification_id, type: notification.type }))) return { outcome: "sent" };
      const sending = await channel.send(notification).catch((error): Sending => ({ outcome: "retry", error: (error as Error).message }));
      if (sending.outcome === "sent") await checker.markCompleted(key);
      else await checker.markFailed(key, sending.error);
      return sending;
    },
  };
}
