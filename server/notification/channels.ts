import type { Log } from "../kernel/log.ts";
import { traceIdOf } from "../kernel/trace.ts";
import type { NotificationsClaimRow } from "./sql.gen.ts";

/** What became of a send. `dead` means that trying again makes no sense. */
export type Sending =
  | { readonly outcome: "sent" }
  | { readonly outcome: "retry"; readonly error: string; readonly afterSeconds?: number }
  | { readonly outcome: "dead"; readonly error: string };

/** A way to reach a user. One that leaves the process is at-least-once, carries `notification_id`, and gets the idempotency checker around it. */
export interface Channel {
  readonly name: string;
  readonly leavesProcess: boolean;
  send(notification: NotificationsClaimRow): Promise<Sending>;
}

/** Tells the log. */
export const logChannel = (log: Log): Channel => ({
  name: "log",
  leavesProcess: false,
  async send({ notification_id, event_id, user_id, type, stale, traceparent }) {
    log.info({ notification_id, event_id, user_id, type, stale, trace_id: traceIdOf(traceparent) }, "notification.sent");
    return { outcome: "sent" };
  },
});
