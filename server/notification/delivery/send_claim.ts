import { fence, type Settlement } from "../../kernel/delivery/fence.ts";
import { type Claim, type Lease, mayStart, withinLease } from "../../kernel/delivery/lease.ts";
import { retryDelaySeconds } from "../../kernel/life/backoff.ts";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { replaceNul } from "../../kernel/postgres/database.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { failedBurst, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { FlowStep } from "../flow_steps.ts";
import type { NotificationSql, NotificationsClaimRow } from "../sql.gen.ts";
import type { Channel, Sending } from "./channels.ts";
import { type Newest, newestOf } from "./hints.ts";
import { notificationOutcomes, sendAttributes } from "./outcomes.ts";

export interface SendClaimOptions {
  readonly notifications: Pick<NotificationSql["notifications"], "settle" | "release">;
  readonly channels: ReadonlyMap<string, Channel>;
  readonly faults: Faults;
  readonly worker: string;
  readonly lease: number;
  readonly sendWithin: number;
  readonly maxAttempts: number;
  /** Called after a settlement was committed. */
  readonly delivered?: (newest: Newest) => void;
  readonly flow: Flow;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

type Attempt = { readonly row: NotificationsClaimRow; readonly sending: Sending | undefined; readonly durationMs: number };
type Held = Pick<Settlement, "lease" | "stopping">;

/** Sends the notifications of a claim: channel → settle | release. Aggregates in parallel, the notifications of each in order. */
export function sendClaim(options: SendClaimOptions) {
  const { notifications, channels, faults, worker, lease, sendWithin, log, metrics, tracer } = options;
  const outcomes = notificationOutcomes(metrics);
  options.flow.startAtZero("sent");
  const fenced = metrics.counter("notifications_fenced_total", "Results that came after the lease was lost and changed nothing.");
  const settleRows = fence({ name: "notification", ids: "notification_ids", idOf, counter: fenced, worker, log, tracer });
  const margin = withinLease(sendWithin, lease);
  const sendOne = tracer ? traced(tracer, send) : send;

  async function deliver(claim: Claim<NotificationsClaimRow>, stopping: AbortSignal): Promise<void> {
    faults.at("notification.claimed");
    const maySend = () => mayStart(claim, stopping, margin);
    const runs = Map.groupBy(claim.rows, row => row.aggregate_key).values();
    const attempts = (await Promise.all(runs.map(run => sendInOrder(run, claim, maySend)))).flat();
    faults.at("notification.sent");
    await claim.stopRenewing();
    const held = { lease: claim, stopping };
    await Promise.all([settle(held, attempts), release(held, attempts)]);
  }

  /** After one that was not sent, the rest of the run stays untried, so that order is kept. */
  async function sendInOrder(run: readonly NotificationsClaimRow[], { ended }: Lease, maySend: () => boolean): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    for (const row of run) {
      const blocked = attempts.some(({ sending }) => sending?.outcome !== "sent");
      const since = performance.now();
      const sending = blocked || !maySend() ? undefined : await sendOne(row, ended);
      attempts.push({ row, sending, durationMs: Math.round(performance.now() - since) });
    }
    return attempts;
  }

  /** A send ends, or is given up, before another worker may send the same: within its deadline, and before the lease ends. */
  async function send(row: NotificationsClaimRow, ended: AbortSignal): Promise<Sending> {
    if (faults.strikes(row.user_id)) return { outcome: "retry", error: "fault: sends to this user are made to fail" };
    const channel = channels.get(row.channel);
    if (!channel) return { outcome: "dead", error: `there is no channel ${row.channel}` };
    // Async, so that a channel that throws at once fails this attempt and not the batch.
    const sending = async () => channel.send(row);
    return withTimeout(sendWithin, `channel ${channel.name}`, beforeEnd(ended, sending())).catch(error => ({
      outcome: "retry" as const,
      error: (error as Error).message,
    }));
  }

  async function settle(held: Held, attempts: readonly Attempt[]): Promise<void> {
    const made = attempts.flatMap(({ row, sending, durationMs }) => (sending ? [{ row, sending, durationMs }] : []));
    if (made.length === 0) return;
    const ids = made.map(({ row }) => row.notification_id);
    const done = await settleRows({ what: "settle", ids, traces: () => made.map(({ row }) => row.traceparent), ...held }, () =>
      notifications.settle({
        token: held.lease.token,
        worker,
        notification_id: ids,
        outcome: made.map(({ sending }) => sending.outcome),
        error: made.map(({ sending }) => (sending.outcome === "sent" ? null : replaceNul(sending.error))),
        delay_seconds: made.map(({ row, sending }) =>
          sending.outcome === "retry" ? (sending.afterSeconds ?? retryDelaySeconds(row.attempt_count)) : null,
        ),
        duration_ms: made.map(({ durationMs }) => durationMs),
        max_attempts: options.maxAttempts,
      }),
    );
    faults.at("notification.settled");
    options.delivered?.(newestOf(done));
    const attemptOf = new Map(made.map(one => [one.row.notification_id, one]));
    for (const { notification_id, status, attempt_count } of done) {
      const { row, sending } = attemptOf.get(notification_id)!;
      options.flow.passed(stepOf[status]!, [row]);
      outcomes.inc({ outcome: status === "PENDING" ? "retry" : status.toLowerCase() });
      if (status === "SENT") continue;
      const error = sending.outcome === "sent" ? undefined : sending.error;
      const fields = { notification_id, event_id: row.event_id, user_id: row.user_id, trace_id: traceIdOf(row.traceparent) };
      const [level, burst] = status === "FAILED" ? (["error", failedBurst] as const) : (["warn", rowBurst] as const);
      repeatsOf(log).write(level, { ...fields, status, attempt_count, error }, "notification.settle", { key: status, burst });
    }
  }

  async function release(held: Held, attempts: readonly Attempt[]): Promise<void> {
    const rows = attempts.flatMap(({ row, sending }) => (sending ? [] : [row]));
    if (rows.length === 0) return;
    const ids = rows.map(idOf);
    const { token } = held.lease;
    const traces = () => rows.map(({ traceparent }) => traceparent);
    const done = await settleRows({ what: "release", ids, traces, ...held }, () => notifications.release({ token, notification_id: ids }));
    outcomes.inc({ outcome: "released" }, done.length);
    const fields = { worker, count: done.length, notification_ids: someIds(done.map(idOf)) };
    repeatsOf(log).write("info", fields, "notification.release", { burst: rowBurst });
  }

  return deliver;
}

/** The step of the flow by the new status of a notification. */
const stepOf: Readonly<Record<string, FlowStep>> = { SENT: "sent", PENDING: "retried", FAILED: "failed" };

const idOf = ({ notification_id }: { readonly notification_id: string }): string => notification_id;

type Send = (row: NotificationsClaimRow, ended: AbortSignal) => Promise<Sending>;

const traced =
  (tracer: Tracer, send: Send): Send =>
  async (row, ended) => {
    const span = tracer.start("notification.send", row.traceparent, { attributes: sendAttributes(row) });
    const sending = await send(row, ended);
    span?.end(sending.outcome === "sent" ? {} : { error: sending.outcome });
    return sending;
  };

function beforeEnd<T>(ended: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(new Error("the lease ended before an answer came"));
  ended.addEventListener("abort", giveUp);
  return Promise.race([promise, work]).finally(() => ended.removeEventListener("abort", giveUp));
}

export type SendClaim = ReturnType<typeof sendClaim>;
