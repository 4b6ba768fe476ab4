import type { TestKenri } from "../server/testing/kenri.ts";
import { sumOf, type TestProcess } from "../server/testing/process.ts";
import { until } from "../stack/wait.ts";
import { cpuOf, type Servers } from "./cpu.ts";
import { throughput } from "./measure.ts";

/** A running system: both systems with all workers in one process, on databases and a stream of its own. */
export interface Running {
  readonly name: string;
  readonly kenri: TestKenri;
  readonly process: TestProcess;
  readonly url: string;
}

/** What a load of grants cost, from the first request until the last notification is SENT and the last event confirmed. */
export interface Sample {
  readonly count: number;
  /** Grants a second. */
  readonly accepted: number;
  readonly sent: number;
  /** Milliseconds. */
  readonly answers: readonly number[];
  readonly answerToSent: readonly number[];
  /** CPU time in microseconds a grant, by process or kind of backend. */
  readonly cpu: ReadonlyMap<string, number>;
  /** How often each statement ran. */
  readonly runs: ReadonlyMap<string, number>;
  readonly walBytes: number;
}

/** Sends grants to new users, and returns how many a second were answered. */
export type Traffic = (count: number, grant: (n: number) => Promise<void>) => Promise<number>;

/** A client on each connection, which sends again as soon as it is answered. */
export const closedLoop =
  (connections: number): Traffic =>
  (count, grant) =>
    throughput(connections, count, grant);

/** So many grants a second, whatever the answers. */
export const openLoop =
  (rate: number): Traffic =>
  async (count, grant) => {
    const since = performance.now();
    const answers: Promise<void>[] = [];
    const failures: unknown[] = [];
    while (answers.length < count) {
      const due = Math.min(count, Math.floor(((performance.now() - since) * rate) / 1000));
      while (answers.length < due) answers.push(grant(answers.length).catch(error => void failures.push(error)));
      await Bun.sleep(1);
    }
    await Promise.all(answers);
    if (failures.length > 0) throw failures[0];
    return (count * 1000) / (performance.now() - since);
  };

export async function load({ kenri, process, url }: Running, servers: Servers, run: string, count: number, traffic: Traffic) {
  const answered = new Map<string, number>();
  const answers: number[] = [];
  async function grant(n: number): Promise<void> {
    const user = `${run}-${n}`;
    const begun = performance.now();
    const response = await kenri.grant(user, "item", { key: user, base: url });
    if (response.status !== 200) throw new Error(`a grant got ${response.status}`);
    await response.arrayBuffer();
    answers.push(performance.now() - begun);
    answered.set(user, performance.timeOrigin + performance.now());
  }
  const before = await usage(kenri, process, servers, "before");
  const since = performance.timeOrigin + performance.now();
  const accepted = await traffic(count, grant);
  const sentAt = await allSent(kenri, `${run}-%`, count);
  const after = await usage(kenri, process, servers, "after");
  const [wal] = await kenri.entitlementSql`select ${after.lsn}::pg_lsn - ${before.lsn}::pg_lsn as bytes`;
  return {
    count,
    accepted,
    sent: (count * 1000) / (Math.max(...sentAt.values()) - since),
    answers,
    answerToSent: [...sentAt].map(([user, at]) => at - answered.get(user)!),
    cpu: difference(after.cpu, before.cpu, 1e6 / count),
    runs: difference(after.runs, before.runs, 1),
    walBytes: Number(wal!.bytes) / count,
  } satisfies Sample;
}

/** Waits until all are SENT and confirmed, and returns when each was sent, by user. */
async function allSent({ entitlementSql, notificationSql }: TestKenri, users: string, count: number): Promise<Map<string, number>> {
  // Each user has one notification, so the number of feeds is cheap to count, and enough while the load runs.
  const sentSoFar = async () =>
    (await notificationSql`select count(*)::int as c from inbox_positions where user_id like ${users}`)[0]!.c as number;
  await until("all are sent", 120_000, async () => (await sentSoFar()) === count, 200);
  const isConfirmed = async () => (await entitlementSql`select from outbox_events where confirmed_at is null limit 1`).length === 0;
  await until("all are confirmed", 120_000, isConfirmed, 200);
  const rows = await notificationSql<{ user_id: string; at: number }[]>`
    select user_id, extract(epoch from sent_at)::float8 * 1000 as at from notifications where user_id like ${users} and status = 'SENT'`;
  return new Map(rows.map(({ user_id, at }) => [user_id, at]));
}

/** The CPU time is read next to the load, and the counts of statements a second away from it: worker threads report once a second. */
async function usage({ entitlementSql }: TestKenri, process: TestProcess, servers: Servers, when: "before" | "after") {
  const [row] = await entitlementSql`select pg_current_wal_lsn() as lsn`;
  const lsn = row!.lsn as string;
  if (when === "after") return { lsn, cpu: cpuOf(process.pid, servers), runs: await runsOf(process) };
  const runs = await runsOf(process);
  return { lsn, runs, cpu: cpuOf(process.pid, servers) };
}

async function runsOf(process: TestProcess): Promise<Map<string, number>> {
  await Bun.sleep(1100);
  const urls = process.lines.filter(line => line.includes("health.listening")).map(line => (JSON.parse(line) as { url: string }).url);
  const texts = await Promise.all(urls.map(async url => (await fetch(`${url}/metrics`)).text()));
  const names = new Set(
    texts.flatMap(text => [...text.matchAll(/^kenri_sql_seconds_count\{statement="(\w+)"/gm)].map(([, name]) => name!)),
  );
  const runs = (name: string) => texts.reduce((sum, text) => sum + sumOf(text, "kenri_sql_seconds_count", `"${name}"`), 0);
  return new Map([...names].map(name => [name, runs(name)]));
}

const difference = (after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>, scale: number): Map<string, number> =>
  new Map([...after].map(([key, value]) => [key, (value - (before.get(key) ?? 0)) * scale]));
