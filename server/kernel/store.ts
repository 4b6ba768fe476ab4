import { connect, databaseRefusal, isAway, type Sql } from "./database.ts";
import { within } from "./deadline.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";
import { patiently } from "./loop.ts";
import type { Metrics } from "./metrics.ts";
import { missingMigrations } from "./migrations.ts";
import { type Service, service } from "./service.ts";
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

/** A system's database with its statements. Started means: it answers, it is migrated, and every SQL file fits its schema. */
export interface Store<T> extends Service {
  readonly sql: Sql;
  readonly statements: T;
  ask(): Promise<unknown>;
}

class MigrationsMissing extends Error {}

export function openStore<T>({ system, url, name, connections, deadline, durable = true, log, health, metrics }: StoreOptions): Store<T> {
  const sql = connect({ url, name, max: connections, statementTimeout: deadline, durable });
  const files = readStatements(["kernel", system]);

  async function prepare(): Promise<void> {
    const missing = await within(deadline, "the database", missingMigrations(sql, system));
    if (missing.length > 0)
      throw new MigrationsMissing(
        `${missing.length} migrations are missing (${missing[0]} …): run \`bun server/main.ts ${system}:migrate\``,
      );
    for (const file of files) await within(deadline, file.file, describeStatement(sql, file));
  }

  return {
    ...service({
      start: stopping =>
        patiently(
          prepare,
          error => {
            const again = isAway(error) || error instanceof MigrationsMissing;
            health.waitingFor = again ? `the database ${system}: ${databaseRefusal(error) ?? (error as Error).message}` : health.waitingFor;
            if (again) log.warn({ error }, "store.waiting");
            return again;
          },
          stopping,
        ),
      stop: () => sql.end({ timeout: 1 }),
    }),
    sql,
    statements: bindStatements<T>(sql, files, metrics, deadline),
    ask: () =>
      within(
        1000,
        "the database",
        sql`select 1`.simple().then(() => undefined),
      ),
  };
}
