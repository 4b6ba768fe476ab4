import type { Action } from "../api/answers.ts";
import { type Kind, rowKinds, titleOf } from "../systems.ts";

const done = { requeue: "requeued", retry: "retried now", discard: "discarded" } as const;
/** `outbox.requeue` → `Event requeued`. */
function titlesOf({ audited, one }: Kind): [action: string, title: string][] {
  return Object.entries(done).map(([action, word]) => [`${audited}.${action}`, `${titleOf(one)} ${word}`]);
}

const titles: Record<string, string> = {
  ...Object.fromEntries(rowKinds.flatMap(titlesOf)),
  "entitlement.grant": "Granted manually",
  "entitlement.revoke": "Revoked manually",
  "outbox.resend": "Event resent",
  "raw_dead_letter.reprocess": "Message reprocessed",
  "raw_dead_letter.discard": "Message discarded",
  "order.ask": "Broker asked",
  "order.resolve": "Order settled by hand",
  "operation.start": "Bulk operation started",
  "operation.cancel": "Bulk operation cancelled",
  "operation.stop": "Bulk operation stopped",
  "role.pause": "Role paused",
  "role.resume": "Role resumed",
  "reconciler.run": "Reconciler run requested",
  "user.erase": "User erased",
};

export const actionNames: readonly string[] = Object.keys(titles);

/** The title of an operator action, or its name if it has no title. */
export const titleOfAction = (action: string): string => titles[action] ?? `Operator: ${action}`;

export const operationOf = ({ detail }: Action): string | undefined => {
  const id = (detail as { operation_id?: unknown } | null)?.operation_id;
  return typeof id === "string" ? id : undefined;
};
