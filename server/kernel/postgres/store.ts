import { isMainThread } from "node:worker_threads";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { retryWhile } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf } from "../telemetry/repeats.ts";
import { connect, databaseRefusal, isAway, type Sql } from "./database.ts";
import { addressOf, databaseOutage } from "./database_outage.ts";
import { missingMigrations } from "./migrations.ts";
import { bindStatements, describeStatement, readStatements } from "./statements.ts";

export interface StoreOptions {
  readonly system: string;
  readonly url: string;
  readonly name: string;
  readonly connections: number;
  readonly deadline: number;
  readonly durable?: boolean;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Connections to a database, and the statements that use them. */
export interface Pool<T> {
  readonly sql: Sql;
  readonly statements: T;
  /** Whether the database answers. */
  ask(): Promise<unknown>;
}

export interface PoolOptions {
  /** Part of the name of the connections in the database. */
  readonly purpose: string;
  readonly connections: number;
  /** A statement that takes longer is cancelled. */
  readonly deadline: number;
}

/** The database of a system with its statements. Started means: it answers, it is migrated, and (but for a worker thread) every SQL file fits its schema. */
export interface Store<T> extends Service, Pool<T> {
  /** Further connections to the same database, so that other statements cannot use them up. They are closed with the store. */
  pool(options: PoolOptions): Pool<T>;
}

// The database cancels a statement that takes too long. Its answer must be here so much later.
const untilCancelled = 500;

class MigrationsMissing extends Error {}

export function openStore<T>({ system, url, name, connections, deadline, durable = true, log, health, metrics }: StoreOptions): Store<T> {
  const files = readStatements(["kernel", system]);
  const pools: Pool<T>[] = [];
  const watch = databaseOutage(url, log);
  const database = addressOf(url);
  const repeats = repeatsOf(log);
  function open(name: string, max: number, statementTimeout: number, patience = statementTimeout): Pool<T> {
    const sql = connect({ url, name, max, statementTimeout, durable });
    const ask = () =>
      withTimeout(
        1000,
        "the database",
        sql`select 1`.simple().then(() => undefined),
      );
    const pool = { sql, statements: bindStatements<T>(sql, files, metrics, patience, watch), ask };
    pools.push(pool);
    return pool;
  }
  const own = open(name, connections, deadline);
  const { sql } = own;

  async function checkMigrations(): Promise<void> {
    const missing = await withTimeout(deadline, "the database", missingMigrations(sql, system));
    if (missing.length > 0)
      throw new MigrationsMissing(
        `${missing.length} migrations are missing (${missing[0]} …): run \`bun server/main.ts ${system}:migrate\``,
      );
  }

  function retries(error: unknown): boolean {
    const again = isAway(error) || error instanceof MigrationsMissing;
    if (again) {
      const refusal = databaseRefusal(error);
      const why = refusal ?? (error as Error).message;
      health.waitingFor = `the database ${system}: ${why}`;
      const says = `The start waits for the database ${database}: ${why}`;
      repeats.write(refusal ? "error" : "warn", { database, error, says }, "store.waiting", { key: database });
    }
    return again;
  }

  /** Each step is tried until it succeeds, and is not repeated: a connection that breaks now and then only delays the start. */
  async function start(stopping: AbortSignal): Promise<void> {
    await retryWhile(checkMigrations, retries, stopping);
    // A worker thread runs beside the API of its system, which checks the same files: ten checks at once made the start of all systems 7 % dearer.
    if (isMainThread) await checkFiles(stopping);
    repeats.over("store.waiting", database, { database }, "store.ready");
  }

  async function checkFiles(stopping: AbortSignal): Promise<void> {
    for (const file of files) await retryWhile(() => withTimeout(deadline, file.file, describeStatement(sql, file)), retries, stopping);
  }

  return {
    ...service({
      start,
      stop: async () => void (await Promise.all(pools.map(pool => pool.sql.end({ timeout: 1 })))),
    }),
    ...own,
    pool: ({ purpose, connections: max, deadline: statementTimeout }) =>
      open(`${name} ${purpose}`, max, statementTimeout, statementTimeout + untilCancelled),
  };
}
