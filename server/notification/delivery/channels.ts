import type { Log } from "../../kernel/telemetry/log.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { NotificationsClaimRow } from "../sql.gen.ts";

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

/**
 * Both tell the log. What `stream` adds comes after the settlement, when the notification stands in the feed: a hint to whoever streams
 * it to the user (hints.ts). A hint is no send: it may be lost, and the feed is what is delivered.
 */
export const channelNames = ["log", "stream"] as const;

export const channelsOf = (log: Log): ReadonlyMap<string, Channel> => new Map(channelNames.map(name => [name, logChannel(name, log)]));

const logChannel = (name: string, log: Log): Channel => ({
  name,
  leavesProcess: false,
  async send({ notification_id, event_id, user_id, type, stale, traceparent }) {
    log.info({ notification_id, event_id, user_id, type, stale, trace_id: traceIdOf(traceparent) }, "notification.sent");
    return { outcome: "sent" };
  },
});
