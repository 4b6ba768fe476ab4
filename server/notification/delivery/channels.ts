import type { Log } from "../../kernel/telemetry/log.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { NotificationsClaimRow } from "../sql.gen.ts";

/** The outcome of a send. `dead`: another attempt makes no sense. */
export type Sending =
  | { readonly outcome: "sent" }
  | { readonly outcome: "retry"; readonly error: string; readonly afterSeconds?: number }
  | { readonly outcome: "dead"; readonly error: string };

/** A way to reach a user. One that leaves the process is at-least-once, carries `notification_id`, and is wrapped by `once` (idempotency.ts). */
export interface Channel {
  readonly name: string;
  /** Users get it by their feed: it is delivered when it has its place there. */
  readonly isFeed?: true;
  send(notification: NotificationsClaimRow): Promise<Sending>;
}

/**
 * Both write to the log. `stream` also publishes a hint after the commit, when the notification is in the feed, for the process that streams the
 * feed to the user (hints.ts). A hint is not a send: it may be lost, and the feed is what is delivered.
 */
export const channelNames = ["log", "stream"] as const;

export const channelsOf = (log: Log): ReadonlyMap<string, Channel> => new Map(channelNames.map(name => [name, feedChannel(name, log)]));

/** Writes the line about a notification that was sent. */
export const logSent = (log: Log, { notification_id, event_id, user_id, type, stale, traceparent }: NotificationsClaimRow): void =>
  log.info({ notification_id, event_id, user_id, type, stale, trace_id: traceIdOf(traceparent) }, "notification.sent");

const feedChannel = (name: string, log: Log): Channel => ({
  name,
  isFeed: true,
  async send(notification) {
    logSent(log, notification);
    return { outcome: "sent" };
  },
});
