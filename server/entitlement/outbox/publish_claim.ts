import { fence, type Settlement } from "../../kernel/delivery/fence.ts";
import { type Claim, mayStart, withinLease } from "../../kernel/delivery/lease.ts";
import { retryDelaySeconds } from "../../kernel/life/backoff.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import type { Breaker } from "../../kernel/nats/breaker.ts";
import type { Publish, Publishing } from "../../kernel/nats/publisher.ts";
import type { StreamChecks } from "../../kernel/nats/stream_checks.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { replaceNul } from "../../kernel/postgres/database.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { failedBurst, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import { createSuspects } from "./suspects.ts";

export interface PublishClaimOptions {
  readonly outbox: Pick<EntitlementSql["outbox"], "finalize" | "retry" | "release">;
  readonly publish: Publish<OutboxClaimRow>;
  readonly checks: Pick<StreamChecks, "published">;
  readonly breaker: Pick<Breaker, "isOpen">;
  readonly faults: Faults;
  readonly flow: Flow;
  readonly worker: string;
  readonly lease: number;
  readonly publishWithin: number;
  readonly maxAttempts: number;
  readonly released?: (() => void) | undefined;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

type Attempt = { readonly row: OutboxClaimRow; readonly publishing: Publishing };
const untried = { outcome: "untried" } as const;
type Held = Pick<Settlement, "lease" | "stopping">;

/** Publishes the events of a claim: publish → finalize | retry | release. */
export function publishClaim(options: PublishClaimOptions) {
  const { outbox, checks, breaker, faults, flow, worker, lease, log, metrics } = options;
  const events = metrics.counter("outbox_events_total", "Events of the outbox, once for each claim, by what became of it.", ["outcome"]);
  options.flow.startAtZero("published");
  const fenced = metrics.counter("outbox_fenced_total", "Results that came after the lease was lost and changed nothing.");
  const settleRows = fence({ name: "outbox", ids: "event_ids", idOf, counter: fenced, worker, log, tracer: options.tracer });
  const suspects = createSuspects();
  // A publish that is still unanswered when the lease ends does no harm: the next one has the same message id, and the stream keeps one of them.
  const margin = withinLease(options.publishWithin, lease);

  async function deliver(claim: Claim<OutboxClaimRow>, stopping: AbortSignal): Promise<void> {
    faults.at("outbox.claimed");
    const attempts = await publishInOrder(claim.rows, () => mayStart(claim, stopping, margin));
    faults.at("outbox.published");
    await claim.stopRenewing();
    await settle({ lease: claim, stopping }, attempts);
  }

  /**
   * Sends all events without waiting for answers. The stream stores them in the order in which they are sent, and the rows of an aggregate come in version
   * order. Behind an event that cannot be sent, the rest of its run stays untried. If the stream refuses an event, it may have stored those behind it:
   * then the consumer waits for the missing one.
   */
  async function publishInOrder(rows: readonly OutboxClaimRow[], mayPublish: () => boolean): Promise<Attempt[]> {
    const blocked = new Set<string>();
    const sent = rows.map(row => {
      const publishing = blocked.has(row.aggregate_key) || !mayPublish() ? untried : options.publish(row);
      if (!(publishing instanceof Promise)) blocked.add(row.aggregate_key);
      return { row, publishing };
    });
    const attempts: Attempt[] = [];
    for (const { row, publishing } of sent) attempts.push({ row, publishing: await publishing });
    return attempts;
  }

  async function settle(held: Held, made: readonly Attempt[]): Promise<void> {
    const atFault = suspects.atFault(made);
    const attempts = withoutFollowers(made);
    // An outage says nothing about an event, and neither do deadlines that opened the breaker.
    const isUntried = ({ row, publishing: { outcome } }: Attempt) =>
      outcome === "untried" || (outcome === "outage" && row.event_id !== atFault) || (outcome === "unanswered" && breaker.isOpen());
    const published = attempts.flatMap(({ row, publishing }) => (publishing.outcome === "published" ? [{ row, ...publishing }] : []));
    const failed = attempts.flatMap(one => ("error" in one.publishing && !isUntried(one) ? [{ row: one.row, ...one.publishing }] : []));
    const untried = attempts.filter(isUntried).map(({ row }) => row);
    await Promise.all([finalize(held, published), retry(held, failed), release(held, untried)]);
  }

  async function finalize(held: Held, published: readonly { row: OutboxClaimRow; seq: number; duplicate: boolean }[]): Promise<void> {
    if (published.length === 0) return;
    checks.published(Math.max(...published.map(one => one.seq)));
    const ids = published.map(({ row }) => row.event_id);
    const done = await settleRows({ what: "finalize", ids, traces: () => published.map(({ row }) => row.traceparent), ...held }, () =>
      outbox.finalize({
        token: held.lease.token,
        event_id: ids,
        stream_seq: published.map(({ seq }) => seq),
        stream_duplicate: published.map(({ duplicate }) => duplicate),
      }),
    );
    events.inc({ outcome: "published" }, done.length);
    flow.passed("published", rowsIn(done, published));
  }

  async function retry(held: Held, failed: readonly { row: OutboxClaimRow; outcome: string; error: string }[]): Promise<void> {
    if (failed.length === 0) return;
    const ids = failed.map(({ row }) => row.event_id);
    const done = await settleRows({ what: "retry", ids, traces: () => failed.map(({ row }) => row.traceparent), ...held }, () =>
      outbox.retry({
        token: held.lease.token,
        event_id: ids,
        delay_seconds: failed.map(({ row, outcome }) => (outcome === "unencodable" ? null : retryDelaySeconds(row.attempt_count))),
        error: failed.map(({ error }) => replaceNul(error)),
        max_attempts: options.maxAttempts,
      }),
    );
    for (const { event_id, status, attempt_count } of done) {
      const isFinal = status === "FAILED";
      const { row, error } = failed.find(one => one.row.event_id === event_id)!;
      flow.passed(isFinal ? "failed" : "retried", [row]);
      events.inc({ outcome: isFinal ? "failed" : "retry" });
      const [level, burst] = isFinal ? (["error", failedBurst] as const) : (["warn", rowBurst] as const);
      repeatsOf(log).write(level, { ...logIdsOf(row), status, attempt_count, error }, "outbox.retry", { key: status, burst });
    }
  }

  async function release(held: Held, rows: readonly OutboxClaimRow[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(idOf);
    const traces = () => rows.map(({ traceparent }) => traceparent);
    const done = await settleRows({ what: "release", ids, traces, ...held }, () =>
      outbox.release({ token: held.lease.token, event_id: ids }),
    );
    events.inc({ outcome: "released" }, done.length);
    options.released?.();
    const fields = { worker, count: done.length, event_ids: someIds(done.map(idOf)) };
    repeatsOf(log).write("info", fields, "outbox.release", { burst: rowBurst });
  }

  return deliver;
}

const idOf = ({ event_id }: { readonly event_id: string }): string => event_id;

/** The ids of an event in the log. */
const logIdsOf = ({ event_id, payload, traceparent }: OutboxClaimRow) => ({
  event_id,
  user_id: (payload as { user_id?: unknown } | null)?.user_id,
  trace_id: traceIdOf(traceparent),
});

/** The rows that were settled. */
function rowsIn(done: readonly { readonly event_id: string }[], settled: readonly { readonly row: OutboxClaimRow }[]): OutboxClaimRow[] {
  const ids = new Set(done.map(({ event_id }) => event_id));
  return settled.flatMap(({ row }) => (ids.has(row.event_id) ? [row] : []));
}

/** Only the first failure of a run costs an attempt. Those behind it are tried again after it. */
function withoutFollowers(attempts: readonly Attempt[]): Attempt[] {
  const failed = new Set<string>();
  return attempts.map(({ row, publishing }) => {
    const isFollower = publishing.outcome !== "published" && failed.has(row.aggregate_key);
    if (publishing.outcome !== "published") failed.add(row.aggregate_key);
    return { row, publishing: isFollower ? untried : publishing };
  });
}
