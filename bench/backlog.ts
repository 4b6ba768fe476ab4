import type { EntitlementSql } from "../server/entitlement/sql.gen.ts";
import { connect } from "../server/kernel/database.ts";
import { createMetrics } from "../server/kernel/metrics.ts";
import { bindStatements, readStatements } from "../server/kernel/statements.ts";
import type { NotificationSql } from "../server/notification/sql.gen.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { becomes } from "../stack/wait.ts";
import { type Figure, ms, percentile, timings } from "./measure.ts";
import { fillEntitlements, fillInbox, fillOutbox } from "./rows.ts";

const rounds = 80;

/** Whether claim, change and inbox cost the same whatever lies there: ten thousand rows, then a million, then the hard cases. */
export async function backlog(kenri: TestKenri): Promise<Figure[]> {
  const metrics = createMetrics();
  const pool = (url: string, durable = true) => connect({ url, name: "bench", max: 2, statementTimeout: 120_000, durable });
  const entitlement = pool(kenri.entitlement.appUrl);
  const asRelay = pool(kenri.entitlement.appUrl, false);
  const notification = pool(kenri.notification.appUrl);
  const { change } = bindStatements<EntitlementSql>(entitlement, readStatements(["entitlement"]), metrics, 120_000);
  const { outbox } = bindStatements<EntitlementSql>(asRelay, readStatements(["entitlement"]), metrics, 120_000);
  const { notifications } = bindStatements<NotificationSql>(notification, readStatements(["notification"]), metrics, 120_000);

  let from = "-infinity";
  const claim = async () => {
    const token = crypto.randomUUID();
    const rows = await outbox.claim({ worker: "bench", token, limit: 100, lease_seconds: 60, from });
    return { token, event_id: rows.map(row => row.event_id) };
  };
  /** A claim of 100 timed, then settled untimed, so that the backlog drains as in life. */
  const claimTimes = async () => {
    const times: number[] = [];
    for (let n = 0; n < rounds; n++) {
      if (n % 20 === 0) from = (await outbox.head({ from: "-infinity" }))[0]?.bound ?? from;
      const since = performance.now();
      const { token, event_id } = await claim();
      times.push(performance.now() - since);
      if (event_id.length !== 100) throw new Error(`claimed ${event_id.length} instead of 100`);
      await outbox.finalize({ token, event_id, stream_seq: event_id.map((_, i) => i + 1), stream_duplicate: event_id.map(() => false) });
    }
    return percentile(times.slice(30), 50); // the first ones fetch what the load pushed out of the cache
  };
  const changeTimes = async (run: string) =>
    percentile(
      await timings(rounds, n => {
        const ids = Array.from({ length: 32 }, (_, i) => `${run}-${n}-${i}`);
        const all = (value: string) => ids.map(() => value);
        return change({
          client_id: all("bench"),
          route: all("/v1/entitlements/grants"),
          idem_key: ids,
          request_hash: all("h"),
          ttl_seconds: 86_400,
          user_id: ids,
          stock_keeping_unit: all("item"),
          target: all("ACTIVE"),
          source: all("s"),
          source_id: all("p"),
          traceparent: all("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
          conflict_body: all("{}"),
          operator_reason: ids.map(() => null),
          worker: "bench",
          token: crypto.randomUUID(),
          lease_seconds: 3600,
          stream: "bench",
          resend_before: null,
        });
      }),
      50,
    );
  const inboxTimes = async () =>
    percentile(
      await timings(rounds, n =>
        notifications.inbox({ user_id: `user-${n % 1000}`, before_notification_id: "ffffffff-ffff-ffff-ffff-ffffffffffff", limit: 10 }),
      ),
      50,
    );

  const at = async (rows: number, run: string) => {
    const [pending] = await kenri.entitlementSql`select count(*)::int as n from outbox_events where status = 'PENDING'`;
    await fillOutbox(kenri.entitlementSql, rows - pending!.n, "PENDING");
    const [[keys], [inbox]] = await Promise.all([
      kenri.entitlementSql`select count(*)::int as n from entitlements`,
      kenri.notificationSql`select count(*)::int as n from notifications`,
    ]);
    await fillEntitlements(kenri.entitlementSql, Math.max(0, rows - keys!.n));
    await fillInbox(kenri.notificationSql, Math.max(0, rows - inbox!.n));
    await settleDown(kenri, calm);
    return { claim: await claimTimes(), change: await changeTimes(run), inbox: await inboxTimes() };
  };

  await kenri.entitlementSql`truncate outbox_events`;
  const calm = await commitTime(kenri);
  await wholePages(kenri, "off");
  const small = await at(10_000, "small");
  const large = await at(1_000_000, "large");
  await wholePages(kenri, "on");
  const wholeLogged = await claimTimes();
  await wholePages(kenri, "off");

  await kenri.entitlementSql`truncate outbox_events`;
  await fillOutbox(kenri.entitlementSql, 150_000, "PENDING", "now() + interval '1 hour'");
  await fillOutbox(kenri.entitlementSql, 20_000, "PENDING");
  await settleDown(kenri, calm);
  const withRetries = await claimTimes();

  await kenri.entitlementSql`truncate outbox_events`;
  await fillOutbox(kenri.entitlementSql, 150_000, "PENDING");
  const withLong = await underLongTransaction(kenri, async () => {
    await drainHalf(claim, outbox);
    return claimTimes();
  });
  await Promise.all([entitlement.end(), asRelay.end(), notification.end()]);

  const figure = (what: string, value: number, base: number, goal: string): Figure => ({
    what,
    value: ms(value),
    against: `at 10k rows: ${ms(base)}`,
    ratio: value / base,
    goal,
  });
  return [
    figure("claim of 100, a million pending", large.claim, small.claim, "≤ 1.5"),
    figure("the same, just after a checkpoint", wholeLogged, small.claim, ""),
    figure("claim of 100, 150k waiting for their retry", withRetries, small.claim, "≤ 1.5"),
    figure("claim of 100, a long transaction open and 75k drained under it", withLong, small.claim, "≤ 1.5"),
    figure("change of 32, a million entitlements", large.change, small.change, "≤ 1.5"),
    figure("inbox page, a million notifications", large.inbox, small.inbox, "≤ 1.5"),
  ];
}

/**
 * The housekeeping of a bulk load is not what is measured: every size starts vacuumed, just after a checkpoint, with the index that keeps the
 * order in the cache, and when the disk has written what the load left it, so that a bare commit takes as long as it did before.
 */
async function settleDown(kenri: TestKenri, calm: number): Promise<void> {
  for (const sql of [kenri.entitlementSql, kenri.notificationSql]) await sql`vacuum analyze`;
  await kenri.entitlementSql`checkpoint`;
  await kenri.entitlementSql.begin(async sql => {
    await sql`set local enable_seqscan = off`;
    await sql`select count(*) from (select aggregate_key, aggregate_version from outbox_events where status in ('PENDING', 'IN_FLIGHT') order by 1, 2)`;
  });
  await becomes(60_000, async () => (await commitTime(kenri)) < calm * 1.2, 500);
}

/**
 * After a checkpoint PostgreSQL logs each page whole at its first change. A claim changes the index that keeps the order in a hundred
 * places, which are as many pages in a large index and few in a small one. It ends when all were changed once; so it is measured apart.
 */
async function wholePages({ entitlementSql }: TestKenri, state: "on" | "off"): Promise<void> {
  await entitlementSql.unsafe(`alter system set full_page_writes = ${state}`);
  await entitlementSql`select pg_reload_conf()`;
  await entitlementSql`checkpoint`;
}

async function commitTime({ entitlementSql: sql }: TestKenri): Promise<number> {
  await sql`create table if not exists bench_commit (id uuid primary key default uuidv7())`;
  return percentile(await timings(200, () => sql`insert into bench_commit default values`), 50);
}

/** With a snapshot open that keeps every dead row version alive. */
async function underLongTransaction<T>(kenri: TestKenri, work: () => Promise<T>): Promise<T> {
  const reserved = await kenri.entitlementSql.reserve();
  await reserved`begin isolation level repeatable read`;
  await reserved`select count(*) from entitlements limit 1`;
  try {
    return await work();
  } finally {
    await reserved`rollback`;
    reserved.release();
  }
}

async function drainHalf(claim: () => Promise<{ token: string; event_id: string[] }>, outbox: EntitlementSql["outbox"]): Promise<void> {
  for (let n = 0; n < 750; n++) {
    const { token, event_id } = await claim();
    await outbox.finalize({ token, event_id, stream_seq: event_id.map((_, i) => i + 1), stream_duplicate: event_id.map(() => false) });
  }
}
