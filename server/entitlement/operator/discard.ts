import type { EntitlementSql } from "../sql.gen.ts";

export type Discarded =
  | { readonly outcome: "discarded" }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Deletes a FAILED event; the audit keeps what it was. Asking again for one that is gone already gives the same answer. */
export async function discardEvent(
  sql: EntitlementSql,
  { event_id, actor, reason }: { event_id: string; actor: string; reason: string },
): Promise<Discarded> {
  const [gone] = await sql.outbox.discard({ event_id, actor, reason });
  if (gone) return { outcome: "discarded" };
  const [event] = await sql.outbox.find({ event_id });
  if (event) return { outcome: "not_failed", status: event.status };
  const [before] = await sql.operator_actions.latest({ subject: event_id.toLowerCase(), action: "outbox.discard" });
  return { outcome: before ? "discarded" : "unknown" };
}
