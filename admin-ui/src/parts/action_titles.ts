import type { Action } from "../api/answers.ts";

const titles: Record<string, string> = {
  "outbox.requeue": "Event requeued",
  "outbox.retry": "Event retried now",
  "outbox.discard": "Event discarded",
  "notification.requeue": "Notification requeued",
  "notification.retry": "Notification retried now",
  "notification.discard": "Notification discarded",
  "entitlement.grant": "Granted manually",
  "entitlement.revoke": "Revoked manually",
  "raw_dead_letter.reprocess": "Message reprocessed",
  "raw_dead_letter.discard": "Message discarded",
  "operation.start": "Bulk operation started",
  "operation.cancel": "Bulk operation cancelled",
  "operation.stop": "Bulk operation stopped",
  "reconciler.run": "Reconciler run requested",
};

export const actionNames: readonly string[] = Object.keys(titles);

/** The title of an operator action, or its name if it has no title. */
export const titleOfAction = (action: string): string => titles[action] ?? `Operator: ${action}`;

export const operationOf = ({ detail }: Action): string | undefined => {
  const id = (detail as { operation_id?: unknown } | null)?.operation_id;
  return typeof id === "string" ? id : undefined;
};
