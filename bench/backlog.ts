import type { EntitlementSql } from "../server/entitlement/sql.gen.ts";
import { connect } from "../server/kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../server/kernel/postgres/statements.ts";
import { createMetrics } from "../server/kernel/telemetry/metrics.ts";
import type { NotificationSql } from "../server/notification/sql.gen.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { becomes } from "../stack/wait.ts";
import { type Figure, ms, percentile, timesInTurns, timings } from "./measure.ts";
import { fillEntitlements, fillInbox, fillOutbox } from "./rows.ts";

const rounds = 80;
const warm = 30; // the first ones load pages that the fill pushed out of the cache
const few = 10_000;
const many = 1_000_000;

/**
 * Compares the cost of claim, change and inbox at a million rows, and in the hard cases, with ten thousand rows in another database.
 * Both are measured in turns, so that other load on the machine affects both.
 */
export async function backlog(small: TestKenri, large: TestKenri): Promise<Figure[]> {
  const [base, other] = [work(small), work(large)];
  const figures: Figure[] = [];
  /** Several times, some seconds apart, so that a short disturbance does not decide. */
  const measure = async (what: string, step: Step, { goal = "≤ 1.5", passes = 1 } = {}) => {
    const all: [number[], number[]] = [[], []];
    for (let pass = 0; pass < passes; pass++) {
      if (pass > 0) await settled();
      const times = await timesInTurns(rounds, warm, base[step], other[step]);
      for (const turn of [0, 1] as const) all[turn].push(...times[turn]);
    }
    const [reference, time] = [percentile(all[0], 50), percentile(all[1], 50)];
    figures.push({ what, value: ms(time), against: `at 10k rows: ${ms(reference)}`, ratio: time / reference, goal });
  };
  const settled = async () => {
    await fillUp(small, few);
    for (const kenri of [small, large]) await settleDown(kenri, calm);
  };

  const calm = await commitTime(small);
  await wholePages(small, "off");
  await fillUp(large, many);
  await settled();
  await measure("claim of 100, a million pending", "claim", { passes: 3 });
  await measure("change of 32, a million entitlements", "change", { passes: 3 });
  await measure("inbox page, a million notifications", "inbox", { passes: 3 });
  await settled();
  await wholePages(small, "on");
  await measure("claim of 100, a million pending, just after a checkpoint", "claim", { goal: "" });
  await wholePages(small, "off");

  await large.entitlementSql`truncate outbox_events`;
  await fillOutbox(large.entitlementSql, 150_000, "PENDING", "now() + interval '1 hour'");
  await fillOutbox(large.entitlementSql, 20_000, "PENDING");
  await settled();
  await measure("claim of 100, 150k waiting for their retry", "claim");

  await large.entitlementSql`truncate outbox_events`;
  await fillOutbox(large.entitlementSql, 150_000, "PENDING");
  await settled();
  await underLongTransaction(large, async () => {
    for (let n = 0; n < 750; n++) await other.claim(n);
    await measure("claim of 100, a long transaction open and 75k drained under it", "claim");
  });
  await Promise.all([base.end(), other.end()]);
  return figures;
}

const stream = { stream: "bench", resend_before: null };
type Step = "claim" | "change" | "inbox";

/** The measured steps. Each returns its time in milliseconds. */
function work(kenri: TestKenri) {
  const metrics = createMetrics();
  const pool = (url: string, durable = true) => connect({ url, name: "bench", max: 2, statementTimeout: 120_000, durable });
  const pools = [pool(kenri.entitlement.appUrl), pool(kenri.entitlement.appUrl, false), pool(kenri.notification.appUrl)] as const;
  const { change } = bindStatements<EntitlementSql>(pools[0], readStatements(["entitlement"]), metrics, 120_000);
  const { outbox } = bindStatements<EntitlementSql>(pools[1], readStatements(["entitlement"]), metrics, 120_000);
  const { notifications } = bindStatements<NotificationSql>(pools[2], readStatements(["notification"]), metrics, 120_000);
  const run = crypto.randomUUID();
  let from = "-infinity";
  let users = 0;

  return {
    /** A claim of 100 is timed, then settled untimed, so that the backlog drains. */
    async claim(n: number): Promise<number> {
      if (n % 20 === 0) from = (await outbox.head({ from: "-infinity", look: 400 }))[0]?.bound ?? from;
      const token = crypto.randomUUID();
      const since = performance.now();
      const rows = await outbox.claim({ worker: "bench", token, limit: 100, lease_seconds: 60, from, look: 400, ...stream });
      const took = performance.now() - since;
      if (rows.length !== 100) throw new Error(`claimed ${rows.length} instead of 100`);
      const event_id = rows.map(row => row.event_id);
      await outbox.finalize({ token, event_id, stream_seq: event_id.map((_, i) => i + 1), stream_duplicate: event_id.map(() => false) });
      return took;
    },
    /** As the API sends it: 32 new users, and their events claimed at once. */
    async change(): Promise<number> {
      const ids = Array.from({ length: 32 }, () => `${run}-${users++}`);
      const all = (value: string) => ids.map(() => value);
      const since = performance.now();
      await change({
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
        ...stream,
      });
      return performance.now() - since;
    },
    async inbox(n: number): Promise<number> {
      const since = performance.now();
      await notifications.inbox({ user_id: `user-${n % 1000}`, before_notification_id: "ffffffff-ffff-ffff-ffff-ffffffffffff", limit: 10 });
      return performance.now() - since;
    },
    end: () => Promise.all(pools.map(one => one.end())),
  };
}

/** Fills all tables up to this number of rows. */
async function fillUp({ entitlementSql, notificationSql }: TestKenri, rows: number): Promise<void> {
  const [[pending], [held], [inbox]] = await Promise.all([
    entitlementSql`select count(*)::int as n from outbox_events where status = 'PENDING'`,
    entitlementSql`select count(*)::int as n from entitlements`,
    notificationSql`select count(*)::int as n from notifications`,
  ]);
  await fillOutbox(entitlementSql, rows - pending!.n, "PENDING");
  await fillEntitlements(entitlementSql, Math.max(0, rows - held!.n));
  await fillInbox(notificationSql, Math.max(0, rows - inbox!.n));
}

/**
 * The after-effects of a bulk load are not measured. Every size starts vacuumed, just after a checkpoint, with the index of the order in the
 * cache, and when the disk has finished the writes of the load, so that a bare commit takes as long as before.
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
 * After a checkpoint PostgreSQL logs each page whole at its first change. A claim changes the index of the order in a hundred places:
 * a hundred pages of a large index, few of a small one. This ends when every page was changed once, so it is measured apart.
 */
export async function wholePages({ entitlementSql }: TestKenri, state: "on" | "off"): Promise<void> {
  await entitlementSql.unsafe(`alter system set full_page_writes = ${state}`);
  await entitlementSql`select pg_reload_conf()`;
  await entitlementSql`checkpoint`;
}

export async function commitTime({ entitlementSql: sql }: TestKenri): Promise<number> {
  await sql`create table if not exists bench_commit (id uuid primary key default uuidv7())`;
  return percentile(await timings(200, () => sql`insert into bench_commit default values`), 50);
}

/** Runs with an open snapshot that keeps every dead row version. */
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
