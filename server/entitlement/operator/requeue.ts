import type { ActionRequest, Requeued } from "../../kernel/operator/row_actions.ts";
import type { EntitlementSql } from "../sql.gen.ts";

/** Requeues a FAILED event once, audited. A second request for a requeued event gets the same answer. */
export async function requeueEvent(sql: EntitlementSql, { id, actor, reason }: ActionRequest): Promise<Requeued> {
  const [requeued] = await sql.outbox.requeue({ event_id: [id], actor, reason });
  if (requeued) return { outcome: "requeued", answer: { publish_generation: requeued.publish_generation } };
  const [event] = await sql.outbox.find({ id });
  if (!event) return { outcome: "unknown" };
  if (event.requeued_generation !== null) return { outcome: "requeued", answer: { publish_generation: event.requeued_generation } };
  return { outcome: "not_failed", status: event.status };
}
