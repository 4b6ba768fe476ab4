import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { retryWhile } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { connect, databaseRefusal, isAway, type Sql } from "./database.ts";
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

/** Connections to a database with the statements that are sent by them. */
export interface Pool<T> {
  readonly sql: Sql;
  readonly statements: T;
  /** Whether the database answers. */
  ask(): Promise<unknown>;
}

export interface PoolOptions {
  /** What the connections are for; it is part of their name in the database. */
  readonly purpose: string;
  readonly connections: number;
  /** A statement that takes longer is cancelled. */
  readonly deadline: number;
}

/** A system's database with its statements. Started means: it answers, it is migrated, and every SQL file fits its schema. */
export interface Store<T> extends Service, Pool<T> {
  /** Further connections to the same database: whoever uses up others does not use up these. They are closed with the store. */
  pool(options: PoolOptions): Pool<T>;
}

// A statement that took too long is cancelled by the database; so much later its word must be here.
const untilCancelled = 500;

class MigrationsMissing extends Error {}

export function openStore<T>({ system, url, name, connections, deadline, durable = true, log, health, metrics }: StoreOptions): Store<T> {
  const files = readStatements(["kernel", system]);
  const pools: Pool<T>[] = [];
  function open(name: string, max: number, statementTimeout: number, patience = statementTimeout): Pool<T> {
    const sql = connect({ url, name, max, statementTimeout, durable });
    const ask = () =>
      withTimeout(
        1000,
        "the database",
        sql`select 1`.simple().then(() => undefined),
      );
    const pool = { sql, statements: bindStatements<T>(sql, files, metrics, patience), ask };
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
      health.waitingFor = `the database ${system}: ${databaseRefusal(error) ?? (error as Error).message}`;
      log.warn({ error }, "store.waiting");
    }
    return again;
  }

  /** Each step is tried until it succeeds and then kept: a connection that breaks now and then delays the start, and never begins it anew. */
  async function start(stopping: AbortSignal): Promise<void> {
    await retryWhile(checkMigrations, retries, stopping);
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
