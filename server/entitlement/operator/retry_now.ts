import type { EntitlementSql } from "../sql.gen.ts";

export type Retried =
  | { readonly outcome: "retried"; readonly next_retry_at: string; readonly attempt_count: number }
  | { readonly outcome: "not_waiting"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Makes a waiting event due at once, audited. Its attempts go on counting. */
export async function retryEvent(
  sql: EntitlementSql,
  { event_id, actor, reason }: { event_id: string; actor: string; reason: string },
): Promise<Retried> {
  const [retried] = await sql.outbox.retry_now({ event_id, actor, reason });
  if (retried) return { outcome: "retried", next_retry_at: retried.next_retry_at, attempt_count: retried.attempt_count };
  const [event] = await sql.outbox.find({ event_id });
  return event ? { outcome: "not_waiting", status: event.status } : { outcome: "unknown" };
}
