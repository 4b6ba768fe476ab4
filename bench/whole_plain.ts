import type postgres from "postgres";
import { freshDatabase } from "../server/testing/databases.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { until } from "../stack/wait.ts";
import type { Servers } from "./cpu.ts";
import { startPeer } from "./peer_process.ts";
import { pool, textOf } from "./plain/statements.ts";
import type { Running } from "./whole_load.ts";

/** The plain build, on a database and a stream of its own. It gets the requests that `kenri` gets. */
export async function startPlain(kenri: TestKenri, { postgres, nats }: Servers): Promise<Running> {
  const database = await freshDatabase("plain", postgres.adminUrl, false);
  const sql = pool(database.adminUrl, 2);
  await sql.unsafe(textOf("schema"));
  const names = { STREAM: `plain-${database.name}`, SUBJECT: `plain.${database.name}` };
  const process = await startPeer("plain.ts", [], { DATABASE_URL: database.adminUrl, NATS_URL: nats.url, ...names });
  process.kill("SIGSTOP");
  return {
    name: "plain",
    pid: process.pid,
    sql,
    database: database.name,
    grant: user => kenri.grant(user, "item", { key: user, base: process.said }),
    allSent: (users, count) => allSent(sql, users, count),
    runs: async () => new Map(),
    // Its polls cost the others nothing.
    resume: () => process.kill("SIGCONT"),
    pause: () => process.kill("SIGSTOP"),
    async stop() {
      await process.stop();
      await sql.end();
      await database.drop();
    },
  };
}

/** Waits until all are SENT and settled, and returns when each was sent, by user. */
async function allSent(sql: postgres.Sql, users: string, count: number): Promise<Map<string, number>> {
  // Open rows are few and have an index. Sent ones are counted when there are no open events left.
  const isRelayed = async () => (await sql`select from outbox_events where status in ('PENDING', 'IN_FLIGHT') limit 1`).length === 0;
  await until("all are published", 240_000, isRelayed, 200);
  const sentSoFar = async () =>
    (await sql`select count(*)::int as c from notifications where user_id like ${users} and status = 'SENT'`)[0]!.c as number;
  await until("all are sent", 120_000, async () => (await sentSoFar()) === count, 200);
  const rows = await sql<{ user_id: string; at: number }[]>`
    select user_id, extract(epoch from sent_at)::float8 * 1000 as at from notifications where user_id like ${users}`;
  return new Map(rows.map(({ user_id, at }) => [user_id, at]));
}
