import type postgres from "postgres";
import { cpuOf, type Servers } from "./cpu.ts";
import { throughput } from "./measure.ts";

/** A system under load, in one process. */
export interface Running {
  readonly name: string;
  readonly pid: number;
  readonly sql: postgres.Sql;
  /** If only the backends of this database count; by default all do. */
  readonly database?: string;
  grant(user: string): Promise<Response>;
  /** Waits until the notifications of these users (a pattern) are SENT, and returns when each was sent, by user. */
  allSent(users: string, count: number): Promise<ReadonlyMap<string, number>>;
  /** How often each statement ran so far. */
  runs(): Promise<ReadonlyMap<string, number>>;
  /** Before and after its turn. */
  resume?(): void;
  pause?(): void;
  stop(): Promise<void>;
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

export async function load(one: Running, servers: Servers, run: string, count: number, traffic: Traffic): Promise<Sample> {
  one.resume?.();
  try {
    return await measure(one, servers, run, count, traffic);
  } finally {
    one.pause?.();
  }
}

async function measure(one: Running, servers: Servers, run: string, count: number, traffic: Traffic): Promise<Sample> {
  const answered = new Map<string, number>();
  const answers: number[] = [];
  async function grant(n: number): Promise<void> {
    const user = `${run}-${n}`;
    const begun = performance.now();
    const response = await one.grant(user);
    if (response.status !== 200) throw new Error(`a grant got ${response.status}`);
    await response.arrayBuffer();
    answers.push(performance.now() - begun);
    answered.set(user, performance.timeOrigin + performance.now());
  }
  const before = await usage(one, servers, "before");
  const since = performance.timeOrigin + performance.now();
  const accepted = await traffic(count, grant);
  const sentAt = await one.allSent(`${run}-%`, count);
  const after = await usage(one, servers, "after");
  const [wal] = await one.sql`select ${after.lsn}::pg_lsn - ${before.lsn}::pg_lsn as bytes`;
  return {
    count,
    accepted,
    sent: (count * 1000) / (Math.max(...sentAt.values()) - since),
    answers,
    answerToSent: [...sentAt].map(([user, at]) => at - answered.get(user)!),
    cpu: difference(after.cpu, before.cpu, 1e6 / count),
    runs: difference(after.runs, before.runs, 1),
    walBytes: Number(wal!.bytes) / count,
  };
}

/** The CPU time is read next to the load, and the counts of statements a second away from it: worker threads report once a second. */
async function usage({ sql, pid, database, runs }: Running, servers: Servers, when: "before" | "after") {
  const [row] = await sql`select pg_current_wal_lsn() as lsn`;
  const lsn = row!.lsn as string;
  if (when === "after") return { lsn, cpu: cpuOf(pid, servers, database), runs: await runs() };
  const counts = await runs();
  return { lsn, runs: counts, cpu: cpuOf(pid, servers, database) };
}

export const difference = (after: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>, scale: number): Map<string, number> =>
  new Map([...after].map(([key, value]) => [key, (value - (before.get(key) ?? 0)) * scale]));
