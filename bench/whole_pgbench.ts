import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshDatabase } from "../server/testing/databases.ts";
import type { Servers } from "./cpu.ts";
import { type Figure, mean, ms, percentile, perSecond } from "./measure.ts";
import { pool, textOf } from "./plain/statements.ts";

export const pgbenchClients = 64;
const seconds = 4;
const script = join(import.meta.dir, "pgbench/grant.sql");

export interface Bare {
  /** Grants a second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly times: readonly number[];
}

/** One bare statement a grant, sent by pgbench to the same server. Undefined if there is no pgbench on this machine. */
export async function startPgbench({ postgres }: Servers) {
  const program = Bun.which("pgbench");
  if (!program) {
    console.error("  pgbench is not on PATH (package postgresql-contrib or postgresql): its figures are left out");
    return undefined;
  }
  const database = await freshDatabase("bare", postgres.adminUrl, false);
  const sql = pool(database.adminUrl, 1);
  await sql.unsafe(textOf("schema"));
  return {
    async run(): Promise<Bare> {
      const logs = mkdtempSync(join(tmpdir(), "kenri-pgbench-"));
      const options = [
        "-n",
        "-M",
        "prepared",
        "-c",
        String(pgbenchClients),
        "-j",
        "2",
        "-T",
        String(seconds),
        "-l",
        `--log-prefix=${logs}/log`,
      ];
      const child = Bun.spawn([program, ...options, "-f", script, database.adminUrl], { stdout: "pipe", stderr: "pipe" });
      const [output, trouble, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      if (code !== 0) throw new Error(`pgbench ended with ${code}: ${trouble}`);
      // A line of its log: client, transaction, microseconds, …
      const lines = readdirSync(logs).flatMap(file => readFileSync(join(logs, file), "utf8").trim().split("\n"));
      rmSync(logs, { recursive: true });
      return { rate: Number(/tps = ([\d.]+)/.exec(output)?.[1]), times: lines.map(line => Number(line.split(" ")[2]) / 1000) };
    },
    async stop() {
      await sql.end();
      await database.drop();
    },
  };
}

/** Kenri's answers beside the bare statement. Kenri also publishes, consumes and notifies on the same cores, pgbench does not. */
export function besidePgbench(where: string, now: { accepted: number; answers: readonly number[] }, runs: readonly Bare[]): Figure[] {
  const rate = mean(runs.map(one => one.rate));
  const times = runs.flatMap(one => one.times);
  const what = (of: string) => `whole pipeline, ${where}: ${of}`;
  const answer = (p: number): Figure => ({
    what: what(`answer, p${p}`),
    value: ms(percentile(now.answers, p)),
    against: `pgbench, one bare statement: ${ms(percentile(times, p))}`,
    ratio: percentile(now.answers, p) / percentile(times, p),
    goal: "",
  });
  return [
    {
      what: what("grants accepted"),
      value: perSecond(now.accepted),
      against: `pgbench, one bare statement: ${perSecond(rate)}`,
      ratio: now.accepted / rate,
      goal: "",
    },
    answer(50),
    answer(99),
  ];
}
