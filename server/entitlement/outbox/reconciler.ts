import type { Broker } from "../../kernel/nats/broker.ts";
import type { StreamChecks } from "../../kernel/nats/stream_checks.ts";
import { isConsumerIdle, type StreamSpec } from "../../kernel/nats/streams.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { EntitlementSql, OutboxUnconfirmedRow } from "../sql.gen.ts";
import type { ConsumedAnswers } from "./consumed_answers.ts";

export interface ReconcilerOptions {
  readonly outbox: EntitlementSql["outbox"];
  readonly broker: Broker;
  readonly checks: StreamChecks;
  readonly stream: StreamSpec;
  readonly consumer: string;
  readonly notification: ConsumedAnswers;
  readonly overdue: number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called when events were requeued. */
  readonly resent: () => void;
  /** Called when a walk has ended or failed. */
  readonly walked: (walk: Walk) => Promise<unknown>;
}

/** The result of a walk over all unconfirmed events. */
export interface Walk {
  readonly outcome: "done" | "away" | "unanswered" | "failed";
  readonly note: string | null;
  readonly durationMs: number;
  readonly lookedAt: number;
  readonly confirmed: number;
  readonly resent: number;
}

/** The message to the relay that asks for a walk now. */
export const reconcileNow = "reconcile";

const page = 500;
// How often it walks while nothing is unconfirmed, so that the record of the last walk and of the end of the stream is not old.
const emptyWalkEvery = 5000;
const start = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/**
 * A PubAck is a hint: only the database of notification proves that an event was consumed. Walks the published, unconfirmed events page by page, asks
 * notification which it has consumed, and confirms those. An overdue event is published again if nothing is under way.
 */
export function reconciler({
  outbox,
  broker,
  checks,
  stream,
  consumer,
  notification,
  overdue,
  log,
  metrics,
  resent,
  walked,
}: ReconcilerOptions) {
  const confirmed = metrics.counter("outbox_confirmed_total", "Events that notification has consumed.");
  const sentAgain = metrics.counter("outbox_missing_resent_total", "Events sent again because notification lacked them.");
  let after = start;
  let walkedAt = Number.NEGATIVE_INFINITY;
  let walk = { startedAt: 0, lookedAt: 0, confirmed: 0, resent: 0 };
  const ended = (outcome: Walk["outcome"], note: string | null = null) => {
    const { startedAt, ...came } = walk;
    walkedAt = performance.now();
    return walked({ outcome, note, durationMs: performance.now() - startedAt, ...came });
  };

  async function runOnce(stopping: AbortSignal): Promise<number> {
    if (after === start) walk = { startedAt: performance.now(), lookedAt: 0, confirmed: 0, resent: 0 };
    try {
      return await runPage();
    } catch (error) {
      // The database may be away, and a stop does not wait for it a second time.
      if (!stopping.aborted) await ended("failed", (error as Error).message).catch(() => {});
      throw error;
    }
  }

  async function runPage(): Promise<number> {
    if (!broker.connected() || !(await checks.passes())) {
      await ended("away", "the broker is away");
      return 0;
    }
    const rows = await outbox.unconfirmed({
      after_published_at: after.at,
      after_event_id: after.id,
      limit: page,
      overdue_seconds: overdue / 1000,
    });
    const last = rows.at(-1);
    if (!last && after === start && performance.now() - walkedAt < emptyWalkEvery) return 0;
    if (after === start) await checks.note();
    if (!last) notification.nothingToAsk();
    const unanswered = last && (await confirm(rows));
    const answered = last !== undefined && unanswered === undefined;
    if (answered) walk.lookedAt += rows.length;
    after = answered && rows.length === page ? { at: last.published_at, id: last.event_id } : start;
    if (unanswered !== undefined) await ended("unanswered", unanswered);
    else if (after === start) await ended("done");
    return answered ? rows.length : 0;
  }

  /** Returns why notification did not answer; undefined if it did. Without an answer nothing is changed: waiting loses nothing. */
  async function confirm(rows: readonly OutboxUnconfirmedRow[]): Promise<string | undefined> {
    // Asked before notification: so an event that it lacks is not under way any more.
    const idle = rows.some(row => row.overdue) && (await isConsumerIdle(broker.connection(), stream.name, consumer));
    const answer = await notification.ask(rows.map(row => row.event_id));
    if (!answer.held) return answer.why;
    const { held } = answer;
    const marked = held.size > 0 ? await outbox.confirm({ event_id: [...held] }) : [];
    confirmed.inc(marked.length);
    walk.confirmed += marked.length;
    const missing = idle ? rows.filter(row => row.overdue && !held.has(row.event_id)).map(row => row.event_id) : [];
    if (missing.length === 0) return undefined;
    const back = await outbox.resend_missing({ event_id: missing });
    sentAgain.inc(back.length);
    walk.resent += back.length;
    const fields = { count: back.length, event_ids: someIds(missing) };
    repeatsOf(log).write("warn", fields, "outbox.missing_at_notification", { burst: rowBurst });
    resent();
    return undefined;
  }

  return {
    runOnce,
    /** The next run walks even if nothing is unconfirmed: somebody waits for the record of it. */
    expectWalk: () => {
      walkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
