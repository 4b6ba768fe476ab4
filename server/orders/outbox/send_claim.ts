import { fence, type Settlement } from "../../kernel/delivery/fence.ts";
import { type Claim, mayStart } from "../../kernel/delivery/lease.ts";
import type { Faults } from "../../kernel/life/fault.ts";
import type { Flow } from "../../kernel/operator/flow.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import { type Metrics, minuteBuckets } from "../../kernel/telemetry/metrics.ts";
import { failedBurst, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { Adapter, AskResult, BrokerOrder, SendResult } from "../broker/adapter.ts";
import { countByCode } from "../broker/code_labels.ts";
import type { Gate } from "../broker/gate.ts";
import { settledStep } from "../flow_steps.ts";
import type { OrdersClaimRow, OrdersSql } from "../sql.gen.ts";
import { type Calls, type Decision, decide, type Policy } from "./decision.ts";

export interface SendClaimOptions {
  readonly orders: Pick<OrdersSql["orders"], "settle" | "release">;
  /** Its calls end within `sendWithin` and `askWithin`, each at most a quarter of the lease. */
  readonly adapter: Adapter;
  readonly gate: Pick<Gate, "blocks" | "saw">;
  readonly faults: Faults;
  readonly worker: string;
  readonly sendWithin: number;
  readonly askWithin: number;
  readonly policy: Policy;
  readonly sent: { inc(): void };
  readonly aborted: { inc(labels: { code: string }): void };
  /** Called after an order has succeeded or was aborted. */
  readonly settled: () => void;
  readonly flow: Pick<Flow, "took">;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

interface Call<Result> {
  readonly kind: "ask" | "send";
  readonly result: Result;
  readonly durationMs: number;
  readonly endedAt: number;
}
interface Held extends Pick<Settlement, "lease" | "stopping"> {
  /** When the claim was made. */
  readonly since: number;
}
interface Made extends Pick<Calls, "isExpired" | "isEarly"> {
  readonly asked: Call<AskResult> | undefined;
  readonly sent?: Call<SendResult>;
}

/**
 * Sends the orders of a claim: ask, if the outcome of an earlier attempt is unknown → send → settle. An order without a call is released.
 *
 * Why the broker executes an order at most once:
 * - The claim is durable before the send. Only the claim's holder sends, and it settles what it did. If it does not, because it died or the database
 *   was away, the lease ends, and reclaim.sql marks the outcome as unknown. A send without a clear answer is settled as unknown too.
 * - An order with an unknown outcome is sent only after the broker has answered, in this claim, that it has no order with this key.
 * - That answer could come before a request that is still under way. So a send starts only if twice its deadline is left of the lease, and it is given
 *   up at its deadline. The answer counts only if ORDERS_BACKOFF has passed since the attempt failed or its lease was found to have ended, also if an
 *   operator retries the order earlier.
 *
 * It assumes of the broker and the network: an ask that begins after a request has arrived finds that order, and a request arrives within ORDERS_BACKOFF
 * after its deadline, or never. A process that is suspended between the last check and the write of its request, for longer than the lease, breaks that.
 */
export function sendClaim(options: SendClaimOptions) {
  const { orders, adapter, gate, faults, flow, worker, sendWithin, askWithin, policy, log, metrics, tracer } = options;
  const failedTotal = countByCode(
    metrics.counter("outbox_failed_total", "Sends that failed or whose outcome is unknown, by reason code.", ["code"]),
  );
  const age = metrics.histogram("outbox_age_seconds", "Age of an order since it was queued, when an attempt begins.", [], minuteBuckets);
  const settleSeconds = metrics.histogram(
    "orders_settle_seconds",
    "Time from the queueing of an order to its outcome.",
    ["status"],
    minuteBuckets,
  );
  const askedTotal = metrics.counter("orders_asked_total", "Questions to the broker about an unknown outcome, by its answer.", ["answer"]);
  const fenced = metrics.counter("orders_fenced_total", "Results that came after the lease was lost and changed nothing.");
  const settleRows = fence({ name: "order", ids: "order_ids", idOf, counter: fenced, worker, log, tracer });
  const decideFor = decide(policy);

  async function deliver(claim: Claim<OrdersClaimRow>, stopping: AbortSignal): Promise<void> {
    faults.at("order.claimed");
    const since = performance.now();
    await Promise.all(claim.rows.map(row => attempt(row, claim, stopping, since)));
  }

  async function attempt(row: OrdersClaimRow, claim: Claim<OrdersClaimRow>, stopping: AbortSignal, since: number): Promise<void> {
    const held = { lease: claim, stopping, since };
    const passed = () => (performance.now() - since) / 1000;
    const isEarly = row.failed_seconds !== null && (row.failed_seconds + passed()) * 1000 < policy.backoff;
    let asked: Call<AskResult> | undefined;
    if (row.outcome_unknown) {
      if (!mayStart(claim, stopping, askWithin)) return release(held, row);
      asked = await ask(row, claim.ended);
      faults.at("order.asked");
    }
    const isAbsent = !asked || (asked.result.outcome === "not_known" && !isEarly);
    const isExpired = row.expires_in_seconds !== null && passed() >= row.expires_in_seconds;
    if (!isAbsent || isExpired || row.attempts >= policy.maxAttempts) return settle(held, row, { asked, isExpired, isEarly });
    faults.at("order.sending");
    if (!mayStart(claim, stopping, 2 * sendWithin) || gate.blocks())
      return asked ? settle(held, row, { asked, isExpired, isEarly }) : release(held, row);
    const sent = await send(row, claim.ended);
    faults.at("order.sent");
    await settle(held, row, { asked, sent, isExpired, isEarly });
  }

  async function call<Result extends SendResult | AskResult>(
    kind: "ask" | "send",
    row: OrdersClaimRow,
    calling: (traceparent?: string) => Promise<Result>,
  ): Promise<Call<Result>> {
    const since = performance.now();
    const span = tracer?.start(`order.${kind}`, row.traceparent, { attributes: attributesOf(row) });
    const result = await calling(span?.traceparent);
    span?.end({ attributes: { "kenri.outcome": result.outcome }, error: isAnswer(result) ? undefined : result.code });
    gate.saw(result);
    const endedAt = performance.now();
    return { kind, result, durationMs: Math.round(endedAt - since), endedAt };
  }

  async function ask(row: OrdersClaimRow, ended: AbortSignal): Promise<Call<AskResult>> {
    const asked = await call("ask", row, traceparent => adapter.ask(row.broker_key, ended, traceparent));
    askedTotal.inc({ answer: asked.result.outcome });
    return asked;
  }

  async function send(row: OrdersClaimRow, ended: AbortSignal): Promise<Call<SendResult>> {
    age.observe(row.queued_seconds);
    const { expires_at: _, ...request } = row.order_request_json as Omit<BrokerOrder, "key"> & { expires_at?: string };
    const sent = await call("send", row, traceparent => adapter.send({ ...request, key: row.broker_key }, ended, traceparent));
    if (sent.result.outcome !== "succeeded") failedTotal.inc({ code: sent.result.code });
    return sent;
  }

  async function settle(held: Held, row: OrdersClaimRow, { asked, sent, ...times }: Made): Promise<void> {
    const decision = decideFor(row, { asked: asked?.result, sent: sent?.result, ...times });
    const { order_id } = row;
    const calls = [asked, sent].flatMap(one => (one ? [one] : []));
    const [done] = await settleRows({ what: "settle", ids: [order_id], traces: () => [row.traceparent], ...held }, () =>
      orders.settle({ token: held.lease.token, worker, adapter: adapter.name, order_id, ...decision, calls: calls.map(recordOf) }),
    );
    faults.at("order.settled");
    if (!done) return;
    if (decision.status !== "failed") {
      const seconds = row.queued_seconds + (performance.now() - held.since) / 1000;
      settleSeconds.observe({ status: decision.status }, seconds);
      flow.took(settledStep, order_id, seconds * 1000);
    }
    report(row, decision);
  }

  function report(row: OrdersClaimRow, { status, attempts, outcome_unknown, code, message }: Decision): void {
    if (status === "succeeded") options.sent.inc();
    if (status !== "failed") options.settled();
    if (status === "aborted") options.aborted.inc({ code: code! });
    const { order_id, idempotency_key, traceparent } = row;
    const fields = { idempotency_key, order_id, status, attempts, last_error_code: code ?? undefined, adapter: adapter.name };
    const more = { outcome_unknown: outcome_unknown || undefined, error: message ?? undefined, trace_id: traceIdOf(traceparent) };
    const [level, burst] = status === "failed" ? (["warn", rowBurst] as const) : (["error", failedBurst] as const);
    if (status === "succeeded") log.info({ ...fields, ...more }, "order.settle");
    else repeatsOf(log).write(level, { ...fields, ...more }, "order.settle", { key: status, burst });
  }

  async function release(held: Held, { order_id, traceparent }: OrdersClaimRow): Promise<void> {
    const ids = [order_id];
    const done = await settleRows({ what: "release", ids, traces: () => [traceparent], ...held }, () =>
      orders.release({ token: held.lease.token, order_id: ids }),
    );
    const fields = { worker, count: done.length, order_ids: someIds(done.map(idOf)) };
    repeatsOf(log).write("info", fields, "order.release", { burst: rowBurst });
  }

  return deliver;
}

/** Whether the broker answered as it should. Its answer to a question may also be that it does not have the order. */
const isAnswer = (
  result: SendResult | AskResult,
): result is Extract<SendResult | AskResult, { outcome: "succeeded" | "working" | "not_known" }> =>
  result.outcome === "succeeded" || result.outcome === "working" || result.outcome === "not_known";

const attributesOf = ({ order_id, attempts, asks }: OrdersClaimRow) => ({
  "kenri.order_id": order_id,
  "kenri.attempts": attempts,
  "kenri.asks": asks,
});

const idOf = ({ order_id }: { readonly order_id: string }): string => order_id;

function recordOf({ kind, result, durationMs, endedAt }: Call<SendResult | AskResult>) {
  const { outcome } = result;
  const why: { code?: string; message?: string } = outcome === "succeeded" ? {} : { code: result.code, message: result.message };
  return { kind, outcome, ...why, duration_ms: durationMs, ended_ms: Math.round(performance.now() - endedAt) };
}

export type SendClaim = ReturnType<typeof sendClaim>;
