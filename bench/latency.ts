import { jetstream } from "@nats-io/jetstream";
import { ensureStream } from "../server/kernel/nats/streams.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { connectTo } from "../server/testing/nats.ts";
import { until } from "../stack/wait.ts";
import { type Figure, ms, percentile, timings } from "./measure.ts";

const count = 500;
// Polling earlier would use the cores that are being measured. The bare steps pause as long: an idle machine answers more slowly
// than one that is kept busy.
const untouched = 12;

/** The time from the response of a grant to SENT, one grant at a time, compared with the three steps that every design needs. */
export async function latency(kenri: TestKenri): Promise<Figure[]> {
  const bare = await bareSteps(kenri);
  const answered = new Map<string, number>();
  const grant = async (n: number, run: string) => {
    const user = `${run}-${n}`;
    const response = await kenri.grant(user, "item");
    await response.arrayBuffer();
    answered.set(user, performance.timeOrigin + performance.now());
    await Bun.sleep(untouched);
    await until(
      "the notification is sent",
      5000,
      async () => (await kenri.notificationSql`select from notifications where user_id = ${user} and status = 'SENT'`).length === 1,
    );
  };
  await timings(50, n => grant(n, "warm"));
  await timings(count, n => grant(n, "timed"));
  const rows =
    await kenri.notificationSql`select user_id, extract(epoch from sent_at)::float8 * 1000 as sent from notifications where user_id like 'timed-%'`;
  const gaps = rows.map(row => row.sent - answered.get(row.user_id)!);
  const [p50, p99] = [percentile(gaps, 50), percentile(gaps, 99)];
  const sum = (p: number) => 2 * percentile(bare.commits, p) + percentile(bare.publishes, p);
  const awake = 2 * percentile(bare.awake.commits, 50) + percentile(bare.awake.publishes, 50);
  return [
    {
      what: "grant answer → SENT, p50",
      value: ms(p50),
      against: `commit + publish + commit, bare, one after the other: ${ms(awake)}`,
      ratio: p50 / awake,
      goal: "≤ 5",
    },
    {
      what: "the same",
      value: ms(p50),
      against: `the bare steps with the pause that the grants have between them: ${ms(sum(50))}`,
      ratio: p50 / sum(50),
      goal: "",
    },
    { what: "grant answer → SENT, p99", value: ms(p99), against: `the same, p99 each: ${ms(sum(99))}`, ratio: p99 / sum(99), goal: "" },
  ];
}

interface Steps {
  readonly commits: number[];
  readonly publishes: number[];
}

async function bareSteps(kenri: TestKenri): Promise<Steps & { readonly awake: Steps }> {
  const sql = kenri.notificationSql;
  await sql`create table if not exists bench_commit (id uuid primary key default uuidv7(), payload jsonb not null)`;
  const commit = () => sql`insert into bench_commit (payload) values (${sql.json({ user_id: "u", sku: "item" })})`;
  const nats = await connectTo(kenri.environment.NATS_URL!);
  await ensureStream(nats, { name: "bench-bare", subject: "bench.bare", maxAge: 600_000, duplicateWindow: 120_000, replicas: 1 });
  const js = jetstream(nats);
  const publish = () => js.publish("bench.bare", new Uint8Array(170), { msgID: crypto.randomUUID() });
  await timings(100, commit);
  await timings(100, publish);
  const steps = async (rest: number) => ({ commits: await timings(count, commit, rest), publishes: await timings(count, publish, rest) });
  const all = { ...(await steps(untouched)), awake: await steps(0) };
  await nats.close();
  return all;
}
