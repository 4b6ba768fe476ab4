import type { Flow } from "../../kernel/operator/flow.ts";
import type { NotificationsSettleRow } from "../sql.gen.ts";

/** The steps of notification in the charts of the flow. */
export const flowSteps = ["taken_in", "sent", "retried", "failed"] as const;
type Step = (typeof flowSteps)[number];

const steps: Record<string, Step> = { SENT: "sent", PENDING: "retried", FAILED: "failed" };

/** Counts the rows that a settlement changed. */
export function countSettled(
  flow: Flow,
  done: readonly Pick<NotificationsSettleRow, "notification_id" | "status">[],
  made: readonly { readonly row: { readonly notification_id: string; readonly payload: unknown } }[],
): void {
  const rows = new Map(made.map(({ row }) => [row.notification_id, row]));
  for (const { notification_id, status } of done) flow.passed(steps[status]!, [rows.get(notification_id)!]);
}
