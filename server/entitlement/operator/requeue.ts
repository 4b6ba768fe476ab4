import type { EntitlementSql } from "../sql.gen.ts";

export type Requeued =
  | { readonly outcome: "requeued"; readonly generation: number }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Puts a FAILED event back, once and audited. Asking again for one that is back already gives the same answer. */
export async function requeueEvent(
  sql: EntitlementSql,
  { event_id, actor, reason }: { event_id: string; actor: string; reason: string },
): Promise<Requeued> {
  const [back] = await sql.outbox.requeue({ event_id: [event_id], actor, reason });
  if (back) return { outcome: "requeued", generation: back.publish_generation };
  const [event] = await sql.outbox.find({ event_id });
  if (!event) return { outcome: "unknown" };
  if (event.requeued_generation !== null) return { outcome: "requeued", generation: event.requeued_generation };
  return { outcome: "not_failed", status: event.status };
}
