import { errors } from "@nats-io/nats-core";
import type { Broker } from "../kernel/broker.ts";
import type { Health } from "../kernel/health.ts";
import type { Log } from "../kernel/log.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { ensureStream, isConsumerIdle, type StreamSpec } from "../kernel/streams.ts";
import type { EntitlementSql, OutboxUnconfirmedRow } from "./sql.gen.ts";
import type { StreamGuard } from "./stream_guard.ts";

export interface ReconcilerOptions {
  readonly outbox: EntitlementSql["outbox"];
  readonly broker: Broker;
  readonly guard: StreamGuard;
  readonly stream: StreamSpec;
  readonly consumer: string;
  readonly takenInSubject: string;
  readonly overdue: number;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  /** Called when events went back to PENDING. */
  readonly resent: () => void;
}

const page = 500;
const start = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/**
 * A PubAck is a hint; only notification's own database proves that an event arrived. Walks the published, unconfirmed events page by
 * page, asks notification which it holds and marks those. What is overdue although nothing is under way is sent again.
 */
export function reconciler({
  outbox,
  broker,
  guard,
  stream,
  consumer,
  takenInSubject,
  overdue,
  log,
  health,
  metrics,
  resent,
}: ReconcilerOptions) {
  const confirmed = metrics.counter("outbox_confirmed_total", "Events that notification is known to hold.");
  const sentAgain = metrics.counter("outbox_missing_resent_total", "Events sent again because notification lacked them.");
  let after = start;

  async function runOnce(): Promise<number> {
    if (!broker.connected() || !(await guard.passes())) return 0;
    if (after === start) await noteStream();
    const rows = await outbox.unconfirmed({
      after_published_at: after.at,
      after_event_id: after.id,
      limit: page,
      overdue_seconds: overdue / 1000,
    });
    const last = rows.at(-1);
    if (!last) health.fine("confirmation");
    const answered = last !== undefined && (await confirm(rows));
    after = answered && rows.length === page ? { at: last.published_at, id: last.event_id } : start;
    return answered ? rows.length : 0;
  }

  /** Keeps the recorded end of the stream fresh, so that a cut store is noticed at the next connection, or at once here. */
  async function noteStream(): Promise<void> {
    const [recorded] = await outbox.stream({ stream: stream.name });
    const { incarnation, lastSeq } = await ensureStream(broker.connection(), stream);
    const [seen] = await outbox.observe({ stream: stream.name, incarnation, last_seq: lastSeq, known_last_seq: recorded?.last_seq ?? 0 });
    if (seen?.lost) guard.distrust();
  }

  /** Whether notification answered. */
  async function confirm(rows: readonly OutboxUnconfirmedRow[]): Promise<boolean> {
    // Asked before notification: what it lacks after that was not under way any more.
    const idle = rows.some(row => row.overdue) && (await isConsumerIdle(broker.connection(), stream.name, consumer));
    const held = await askNotification(rows.map(row => row.event_id));
    if (!held) return false;
    if (held.size > 0) confirmed.inc((await outbox.confirm({ event_id: [...held] })).length);
    const missing = idle ? rows.filter(row => row.overdue && !held.has(row.event_id)).map(row => row.event_id) : [];
    if (missing.length === 0) return true;
    const back = await outbox.resend_missing({ event_id: missing });
    sentAgain.inc(back.length);
    log.warn({ count: back.length, first: missing[0] }, "outbox.missing_at_notification");
    resent();
    return true;
  }

  /** Undefined while no consumer of notification runs: then nothing can be said, and nothing is lost by waiting. */
  async function askNotification(eventIds: readonly string[]): Promise<Set<string> | undefined> {
    try {
      const answer = await broker.connection().request(takenInSubject, JSON.stringify(eventIds), { timeout: 5000 });
      health.fine("confirmation");
      return new Set(answer.json<string[]>());
    } catch (error) {
      if (!(error instanceof errors.RequestError && error.isNoResponders())) throw error;
      health.trouble("confirmation", "nobody answers which events notification holds; published events are kept");
      return undefined;
    }
  }

  return { runOnce };
}
