import { type Claim, settleWhileHeld } from "../../kernel/delivery/lease.ts";
import { retryDelaySeconds } from "../../kernel/life/backoff.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import type { Breaker } from "../../kernel/nats/breaker.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { replaceNul } from "../../kernel/postgres/database.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { EntitlementSql, OutboxClaimRow } from "../sql.gen.ts";
import type { Publish, Publishing } from "./publisher.ts";
import type { StreamChecks } from "./stream_checks.ts";
import { createSuspects } from "./suspects.ts";

export interface DispatchOptions {
  readonly outbox: Pick<EntitlementSql["outbox"], "finalize" | "retry" | "release">;
  readonly publish: Publish;
  readonly guard: Pick<StreamChecks, "published">;
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
}

type WhileHeld = <Row>(statement: () => Promise<readonly Row[]>) => Promise<{ readonly rows: readonly Row[]; readonly isSure: boolean }>;
type Settled = { readonly row: OutboxClaimRow; readonly publishing: Publishing };

/** Brings events that a worker has claimed to the stream: publish → finalize | retry | release. */
export function publishClaim(options: DispatchOptions) {
  const { outbox, guard, breaker, faults, flow, worker, lease, log, metrics } = options;
  const events = metrics.counter("outbox_events_total", "Events of the outbox, by what became of the attempt.", ["outcome"]);
  const fenced = metrics.counter("outbox_fenced_total", "Results that came after the lease was lost and changed nothing.");

  const suspects = createSuspects();

  async function deliver(claim: Claim<OutboxClaimRow>, stopping: AbortSignal): Promise<void> {
    faults.at("outbox.claimed");
    // Nothing is begun shortly before the lease ends and somebody else publishes it. A publish that is still unanswered then does no harm: the
    // other one has the same message id, and the stream keeps one of them.
    const margin = Math.min(options.publishWithin, lease / 2);
    const settled = await publishInOrder(claim.rows, () => stopping.aborted || claim.endsWithin(margin));
    faults.at("outbox.published");
    await claim.letGo();
    await settle(claim, stopping, settled);
  }

  /** Wave by wave: the first events of all aggregates together, then the second ones … After a failure the rest of a run stays. */
  async function publishInOrder(rows: readonly OutboxClaimRow[], isOver: () => boolean): Promise<Settled[]> {
    const blocked = new Set<string>();
    const settled: Settled[] = [];
    for (const wave of waves(rows)) {
      const results = await Promise.all(
        wave.map(async row => ({
          row,
          publishing: isOver() || blocked.has(row.aggregate_key) ? ({ outcome: "untried" } as const) : await options.publish(row),
        })),
      );
      for (const one of results) if (one.publishing.outcome !== "published") blocked.add(one.row.aggregate_key);
      settled.push(...results);
    }
    return settled;
  }

  async function settle(claim: Claim<OutboxClaimRow>, stopping: AbortSignal, settled: readonly Settled[]): Promise<void> {
    const { token } = claim;
    const held = <Row>(statement: () => Promise<readonly Row[]>) => settleWhileHeld(claim, stopping, statement);
    const atFault = suspects.atFault(settled);
    // An outage says nothing about the events, nor do deadlines that opened the breaker.
    const isUntried = ({ row, publishing: { outcome } }: Settled) =>
      outcome === "untried" || (outcome === "outage" && row.event_id !== atFault) || (outcome === "unanswered" && breaker.isOpen());
    const published = settled.flatMap(({ row, publishing }) => (publishing.outcome === "published" ? [{ row, ...publishing }] : []));
    const failed = settled.flatMap(one => ("error" in one.publishing && !isUntried(one) ? [{ row: one.row, ...one.publishing }] : []));
    const untried = settled.filter(isUntried).map(({ row }) => row.event_id);
    await Promise.all([finalize(token, held, published), retry(token, held, failed), release(token, held, untried)]);
  }

  async function finalize(
    token: string,
    held: WhileHeld,
    published: readonly { row: OutboxClaimRow; seq: number; duplicate: boolean }[],
  ): Promise<void> {
    if (published.length === 0) return;
    guard.published(Math.max(...published.map(one => one.seq)));
    const { rows: done, isSure } = await held(() =>
      outbox.finalize({
        token,
        event_id: published.map(({ row }) => row.event_id),
        stream_seq: published.map(({ seq }) => seq),
        stream_duplicate: published.map(({ duplicate }) => duplicate),
      }),
    );
    events.inc({ outcome: "published" }, done.length);
    flow.passed("published", rowsIn(done, published));
    if (isSure)
      countFenced(
        "finalize",
        published.map(({ row }) => row.event_id),
        done,
      );
  }

  async function retry(
    token: string,
    held: WhileHeld,
    failed: readonly { row: OutboxClaimRow; outcome: string; error: string }[],
  ): Promise<void> {
    if (failed.length === 0) return;
    const { rows: done, isSure } = await held(() =>
      outbox.retry({
        token,
        event_id: failed.map(({ row }) => row.event_id),
        delay_seconds: failed.map(({ row, outcome }) => (outcome === "unencodable" ? null : retryDelaySeconds(row.attempt_count))),
        error: failed.map(({ error }) => replaceNul(error)),
        max_attempts: options.maxAttempts,
      }),
    );
    for (const [step, settled] of [
      ["failed", "FAILED"],
      ["retried", "PENDING"],
    ] as const)
      flow.passed(
        step,
        rowsIn(
          done.filter(({ status }) => status === settled),
          failed,
        ),
      );
    for (const { event_id, status, attempt_count } of done) {
      events.inc({ outcome: status === "FAILED" ? "failed" : "retry" });
      const attempt = failed.find(({ row }) => row.event_id === event_id)!;
      const fields = { ...idsOf(attempt.row), status, attempt_count, error: attempt.error };
      log[status === "FAILED" ? "error" : "warn"](fields, "outbox.retry");
    }
    if (isSure)
      countFenced(
        "retry",
        failed.map(({ row }) => row.event_id),
        done,
      );
  }

  async function release(token: string, held: WhileHeld, event_id: readonly string[]): Promise<void> {
    if (event_id.length === 0) return;
    const { rows: done, isSure } = await held(() => outbox.release({ token, event_id }));
    events.inc({ outcome: "released" }, done.length);
    options.released?.();
    log.info({ worker, count: done.length, event_ids: someIds(done.map(row => row.event_id)) }, "outbox.release");
    if (isSure) countFenced("release", event_id, done);
  }

  function countFenced(what: string, settled: readonly string[], done: readonly { readonly event_id: string }[]): void {
    const changed = new Set(done.map(row => row.event_id));
    const late = settled.filter(id => !changed.has(id));
    if (late.length === 0) return;
    fenced.inc(late.length);
    log.warn({ worker, what, count: late.length, event_ids: someIds(late) }, "outbox.fenced");
  }

  return deliver;
}

/** What an event is found by. */
const idsOf = ({ event_id, payload, traceparent }: OutboxClaimRow) => ({
  event_id,
  user_id: (payload as { user_id?: unknown } | null)?.user_id,
  trace_id: traceIdOf(traceparent),
});

/** Of what was to be settled, that which was. */
function rowsIn(done: readonly { readonly event_id: string }[], settled: readonly { readonly row: OutboxClaimRow }[]): OutboxClaimRow[] {
  const ids = new Set(done.map(({ event_id }) => event_id));
  return settled.flatMap(({ row }) => (ids.has(row.event_id) ? [row] : []));
}

/** The rows of a claim by their place in their aggregate's run; they come in version order. */
function waves<T extends { readonly aggregate_key: string }>(rows: readonly T[]): T[][] {
  const places = new Map<string, number>();
  const result: T[][] = [];
  for (const row of rows) {
    const place = places.get(row.aggregate_key) ?? 0;
    places.set(row.aggregate_key, place + 1);
    result[place] ??= [];
    result[place].push(row);
  }
  return result;
}
