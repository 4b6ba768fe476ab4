import type postgres from "postgres";
import type { EntitlementSql } from "../server/entitlement/sql.gen.ts";
import { dueBound, looksPerRow, moveEvery } from "../server/kernel/delivery/due_bound.ts";
import { connect } from "../server/kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../server/kernel/postgres/statements.ts";
import { createMetrics } from "../server/kernel/telemetry/metrics.ts";
import type { NotificationSql } from "../server/notification/sql.gen.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { type Figure, ms, percentile, timesInTurns } from "./measure.ts";
import { fillHotInbox, fillHotOutbox } from "./rows.ts";

const pairs = 6;
const each = 5000;
const limit = 50;
const rounds = (pairs * each) / limit;
// The last third is measured: 20,000 were drained before.
const warm = (rounds * 2) / 3;

/** Drains a large backlog of a few pairs in two databases in turns: one with a long transaction, one without. */
export async function hotPairs(free: TestKenri, long: TestKenri): Promise<Figure[]> {
  const drains = [drain(free), drain(long)] as const;
  const figures: Figure[] = [];
  for (const kenri of [free, long]) {
    await fillHotOutbox(kenri.entitlementSql, pairs, each);
    await fillHotInbox(kenri.notificationSql, pairs, each);
    for (const sql of [kenri.entitlementSql, kenri.notificationSql]) await sql`vacuum analyze`;
  }
  const ends = [await longTransaction(long.entitlementSql), await longTransaction(long.notificationSql)];
  for (const step of ["outbox", "notifications"] as const) {
    const [without, behind] = await timesInTurns(rounds, warm, drains[0][step], drains[1][step]);
    const [reference, time] = [percentile(without, 50), percentile(behind, 50)];
    figures.push({
      what: `claim and settle ${limit} of ${pairs} pairs, ${step}, a long transaction open and 20k drained under it`,
      value: ms(time),
      against: `without it: ${ms(reference)}`,
      ratio: time / reference,
      goal: "≤ 1.5",
    });
  }
  for (const end of ends) await end();
  await Promise.all(drains.map(one => one.end()));
  return figures;
}

/** The measured steps: one claim and its settlement. Each returns its time in milliseconds. */
function drain(kenri: TestKenri) {
  const pool = (url: string) => connect({ url, name: "bench", max: 2, statementTimeout: 120_000, durable: false });
  const pools = [pool(kenri.entitlement.appUrl), pool(kenri.notification.appUrl)] as const;
  const { outbox } = bindStatements<EntitlementSql>(pools[0], readStatements(["entitlement"]), createMetrics(), 120_000);
  const { notifications } = bindStatements<NotificationSql>(pools[1], readStatements(["notification"]), createMetrics(), 120_000);
  const look = looksPerRow * limit;
  const outboxBound = dueBound(async from => (await outbox.head({ from, look }))[0], Number.POSITIVE_INFINITY);
  const inboxBound = dueBound(async from => (await notifications.head({ from, look }))[0], Number.POSITIVE_INFINITY);

  /** The bound moves as often as in a worker, untimed: there a loop of its own does that. */
  function timed(bound: typeof outboxBound, work: (from: string, token: string) => Promise<void>): () => Promise<number> {
    let movedAt = Number.NEGATIVE_INFINITY;
    return async () => {
      if (performance.now() - movedAt > moveEvery) {
        await bound.advance();
        movedAt = performance.now();
      }
      const since = performance.now();
      await work(bound.from(), crypto.randomUUID());
      return performance.now() - since;
    };
  }

  return {
    outbox: timed(outboxBound, async (from, token) => {
      const rows = await outbox.claim({ worker: "b", token, limit, lease_seconds: 60, from, look, stream: "bench", resend_before: null });
      const event_id = rows.map(row => row.event_id);
      await outbox.finalize({ token, event_id, stream_seq: event_id.map((_, n) => n + 1), stream_duplicate: event_id.map(() => false) });
    }),
    notifications: timed(inboxBound, async (from, token) => {
      const rows = await notifications.claim({ worker: "b", token, limit, lease_seconds: 60, from, look });
      await notifications.settle({
        token,
        worker: "b",
        notification_id: rows.map(row => row.notification_id),
        outcome: rows.map(() => "sent"),
        error: rows.map(() => null),
        delay_seconds: rows.map(() => null),
        duration_ms: rows.map(() => 1),
        max_attempts: 10,
      });
    }),
    end: () => Promise.all(pools.map(one => one.end())),
  };
}

/** Opens a snapshot that keeps every dead row version. Returns the function that ends it. */
async function longTransaction(sql: postgres.Sql): Promise<() => Promise<void>> {
  const reserved = await sql.reserve();
  await reserved`begin isolation level repeatable read`;
  await reserved`select count(*) from pg_class`;
  return async () => {
    await reserved`rollback`;
    reserved.release();
  };
}
