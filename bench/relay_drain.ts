import type { NatsConnection } from "@nats-io/transport-node";
import postgres from "postgres";
import { ensureStream, manager } from "../server/kernel/nats/streams.ts";
import { freshDatabase } from "../server/testing/databases.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { connectTo } from "../server/testing/nats.ts";
import { until } from "../stack/wait.ts";
import { cpuOf, type Servers } from "./cpu.ts";
import { jobQueues } from "./job_queues.ts";
import { startPeer } from "./peer_process.ts";
import { fillOutbox } from "./rows.ts";

/** What it cost to publish and settle waiting events, without the first tenth as warm-up. */
export interface Drained {
  /** Events a second. */
  readonly rate: number;
  /** CPU time in microseconds an event: the worker, PostgreSQL and NATS. */
  readonly cpu: number;
  readonly details: string;
}

interface Work {
  readonly stream: string;
  readonly count: number;
  start(): Promise<{ readonly pid: number; stop(): Promise<unknown> }>;
  isDone(): Promise<boolean>;
  /** Events a second, if the database knows it better than this process, which looks now and then. */
  rate?(): Promise<number>;
}

export async function drainKenri(kenri: TestKenri, servers: Servers, batch: string, count: number): Promise<Drained> {
  await kenri.entitlementSql`truncate outbox_events`;
  await fillOutbox(kenri.entitlementSql, count, "PENDING");
  return drain(servers, {
    stream: kenri.environment.ENTITLEMENT_STREAM!,
    count,
    start: () => kenri.start("entitlement:relay", { OUTBOX_BATCH: batch, OUTBOX_LANES: "2", LOG_LEVEL: "warn" }),
    async isDone() {
      const [row] = await kenri.entitlementSql`select exists (select from outbox_events where status in ('PENDING', 'IN_FLIGHT')) as open`;
      return !row!.open;
    },
    // By the database's clock, from the first published event to the last.
    async rate() {
      const [row] = await kenri.entitlementSql`
        with times as (select published_at, row_number() over (order by published_at) as n from outbox_events where status = 'PUBLISHED')
        select (select count(*) from times where n > ${count / 10}) / extract(epoch from max(published_at) - min(published_at))::float8 as rate from times where n > ${count / 10}`;
      return row!.rate as number;
    },
  });
}

/** The same by a job queue, on a database and a stream of its own. */
export async function drainQueue(name: string, servers: Servers, count: number): Promise<Drained> {
  const queue = jobQueues[name]!;
  const database = await freshDatabase("queue", servers.postgres.adminUrl, false);
  const sql = postgres(database.adminUrl, { max: 1, onnotice: () => {} });
  const stream = `bench-${name}`;
  const subject = `bench.${name}`;
  try {
    await queue.fill(database.adminUrl, count);
    const nats = await connectTo(servers.nats.url);
    await ensureStream(nats, { name: stream, subject, maxAge: 600_000, duplicateWindow: 1000, replicas: 1 });
    await nats.close();
    return await drain(servers, {
      stream,
      count,
      start: () =>
        startPeer("job_queue_worker.ts", [name], { DATABASE_URL: database.adminUrl, NATS_URL: servers.nats.url, SUBJECT: subject }),
      isDone: async () => !(await sql.unsafe(queue.hasOpen))[0]!.open,
    });
  } finally {
    await sql.end();
    await database.drop();
  }
}

async function drain(servers: Servers, { stream, count, start, isDone, rate }: Work): Promise<Drained> {
  const nats = await connectTo(servers.nats.url);
  const before = await lastSeq(nats, stream);
  const process = await start();
  try {
    let published = 0;
    const isWarm = async () => {
      published = (await lastSeq(nats, stream)) - before;
      return published >= count / 10;
    };
    await until("a tenth is published", 120_000, isWarm, 10);
    const since = performance.now();
    const cpu = cpuOf(process.pid, servers);
    await until("all are settled", 120_000, isDone, 50);
    const took = performance.now() - since;
    const rest = count - published;
    const used = [...cpuOf(process.pid, servers)].map(([name, value]) => [name, ((value - (cpu.get(name) ?? 0)) * 1e6) / rest] as const);
    return {
      rate: rate ? await rate() : (rest * 1000) / took,
      cpu: used.reduce((sum, [, value]) => sum + value, 0),
      details: used
        .filter(([, value]) => value >= 1)
        .map(([name, value]) => `${name} ${value.toFixed(0)}`)
        .join(", "),
    };
  } finally {
    await process.stop();
    await nats.close();
  }
}

/** 0 if there is no stream yet: the relay makes it. */
async function lastSeq(nats: NatsConnection, stream: string): Promise<number> {
  const { streams } = await manager(nats);
  return streams.info(stream).then(
    ({ state }) => state.last_seq,
    () => 0,
  );
}
