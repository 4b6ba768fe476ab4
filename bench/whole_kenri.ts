import type { TestKenri } from "../server/testing/kenri.ts";
import { startProcess, sumOf, type TestProcess } from "../server/testing/process.ts";
import { until } from "../stack/wait.ts";
import type { Running } from "./whole_load.ts";

/** Both systems with all workers in one process, on databases and a stream of their own. */
export async function startKenri(name: string, kenri: TestKenri, checkout?: string): Promise<Running> {
  const process = startProcess("entitlement notification", kenri.environment, checkout);
  for (const system of ["entitlement", "notification"]) await process.logged(`"system":"${system}","msg":"ready"`);
  const line = process.lines.find(text => text.includes("http.listening") && text.includes('"role":"entitlement:api"'))!;
  const { url } = JSON.parse(line) as { url: string };
  return {
    name,
    pid: process.pid,
    sql: kenri.entitlementSql,
    grant: user => kenri.grant(user, "item", { key: user, base: url }),
    allSent: (users, count) => allSent(kenri, users, count),
    runs: () => runsOf(process),
    async stop() {
      await process.stop();
      await kenri.close();
    },
  };
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

/** Worker threads report once a second. */
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
