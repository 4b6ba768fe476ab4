import type { Faults } from "../../kernel/life/fault.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { batchedLog, type Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import type { NotificationsClaimRow } from "../sql.gen.ts";
import { type Channel, logSent } from "./channels.ts";
import { type Newest, newestOf } from "./hints.ts";
import { notificationOutcomes, sendAttributes } from "./outcomes.ts";

/** A notification that was SENT from the start. */
export type Delivered = NotificationsClaimRow & { readonly position: number };

/** How a consumer delivers the notifications that it stores. */
export interface DeliverOnWrite {
  readonly worker: string;
  /** Whether the notifications of these users may be stored as SENT. */
  mayDeliver(userIds: readonly string[]): boolean;
  /** The statement has committed. `hasWaiting`: it also stored notifications that wait for the sender. */
  committed(delivered: readonly Delivered[], hasWaiting: boolean): void;
}

/** For a statement that leaves its notifications to the sender. */
export const leftToSender: Pick<DeliverOnWrite, "worker" | "mayDeliver"> = { worker: "", mayDeliver: () => false };

export interface DeliverOnWriteOptions {
  readonly worker: string;
  readonly channel: Pick<Channel, "isFeed"> | undefined;
  /** False while everything is left to the sender. */
  readonly isReady: () => boolean;
  readonly faults: Faults;
  /** Wakes the sender, which delivers all others. */
  readonly wakeSender: () => void;
  /** Called after the commit with the newest positions. */
  readonly hint?: ((newest: Newest) => void) | undefined;
  readonly flow: Flow;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

/**
 * A channel that reaches users by their feed needs no attempt: the statement that stores a notification also gives it its place in the feed, so it
 * is SENT from the start. This saves a claim, a settlement and a commit. The log line, the hint and the count follow the commit: if the answer to the
 * statement is lost, they are lost too.
 */
export function deliverOnWrite(options: DeliverOnWriteOptions): DeliverOnWrite {
  const { worker, channel, isReady, faults, wakeSender, hint, flow, log, metrics, tracer } = options;
  const outcomes = notificationOutcomes(metrics);
  const batched = batchedLog(log);
  flow.startAtZero("sent");

  return {
    worker,
    mayDeliver: userIds => channel?.isFeed === true && isReady() && !userIds.some(id => faults.strikes(id)),
    committed(delivered, hasWaiting) {
      if (hasWaiting) wakeSender();
      if (delivered.length === 0) return;
      for (const row of delivered) {
        logSent(batched, row);
        tracer?.start("notification.send", row.traceparent, { attributes: sendAttributes(row) })?.end({});
      }
      outcomes.inc({ outcome: "sent" }, delivered.length);
      flow.passed("sent", delivered);
      hint?.(newestOf(delivered));
    },
  };
}
