import { readdirSync, readFileSync } from "node:fs";
import type postgres from "postgres";
import type { TestKenri } from "../server/testing/kenri.ts";
import type { Servers } from "./cpu.ts";
import { startKenri } from "./whole_kenri.ts";
import { closedLoop, difference, load } from "./whole_load.ts";

/** The settings of a PostgreSQL that counts its statements. */
export const profileSettings = { shared_preload_libraries: "pg_stat_statements" };

const connections = 64;
const warmUp = 20_000;
const count = 10_000;

/** Where the time of a grant goes: by process, by thread of Bun and by statement. Prints its own tables. With KENRI_BEFORE it profiles that checkout. */
export async function profile(another: () => Promise<TestKenri>, servers: Servers): Promise<[]> {
  const kenri = await another();
  const sql = kenri.entitlementSql;
  await sql`create extension pg_stat_statements`;
  const running = await startKenri("profile", kenri, process.env.KENRI_BEFORE);
  try {
    await load(running, servers, "warm", warmUp, closedLoop(connections));
    await sql`select pg_stat_statements_reset()`;
    const before = threadsOf(running.pid);
    const { accepted, cpu } = await load(running, servers, "profile", count, closedLoop(connections));
    const threads = difference(threadsOf(running.pid), before, 1e6 / count);
    console.log(`${connections} at once: ${accepted.toFixed(0)} grants a second`);
    print("CPU time in µs a grant", cpu);
    print("Threads of Bun, µs a grant", threads);
    await printStatements(sql);
  } finally {
    await running.stop();
  }
  return [];
}

function print(title: string, values: ReadonlyMap<string, number>): void {
  console.log(title);
  for (const [name, value] of [...values].sort((a, b) => b[1] - a[1])) if (value >= 2) console.log(`  ${value.toFixed(0)}\t${name}`);
}

/** The time is that of the clock: on a busy machine it is more than the CPU time. */
async function printStatements(sql: postgres.Sql): Promise<void> {
  const rows = await sql`
    select split_part(datname, '_', 1) as system, (calls)::int, (rows::float8 / calls)::numeric(10, 1) as rows_a_run, (total_exec_time / calls)::numeric(10, 2) as ms_a_run,
      (total_exec_time * 1000 / ${count}::float8)::numeric(10, 1) as us, (wal_bytes / ${count}::float8)::numeric(10) as wal,
      substr(regexp_replace(query, '(--[^\\n]*\\n|\\s)+', ' ', 'g'), 1, 80) as text
    from pg_stat_statements s join pg_database d on d.oid = s.dbid where calls > 0 order by total_exec_time desc limit 12`;
  console.log("Statements: µs a grant, runs, rows a run, ms a run, bytes of WAL a grant");
  for (const { us, calls, rows_a_run, ms_a_run, wal, system, text } of rows)
    console.log(`  ${us}\t${calls}\t${rows_a_run}\t${ms_a_run}\t${wal}\t${system}: ${text}`);
}

/** User and system time of each thread so far, in seconds, by its name. */
function threadsOf(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [, name = "", fields = ""] = /\((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")) ?? [];
      const [user, system] = fields.split(" ").slice(11, 13).map(Number);
      seconds.set(name, (seconds.get(name) ?? 0) + (user! + system!) / 100); // Linux counts a hundredth of a second
    } catch {
      // It has ended meanwhile.
    }
  }
  return seconds;
}
