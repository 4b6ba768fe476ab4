import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

type Argument = string | number | object;

/** The text of a file in this folder. */
export const textOf = (name: string) => readFileSync(join(import.meta.dir, `${name}.sql`), "utf8");

/** Connections of one part of the build, so that no part takes those of another. Without a deadline: the process is paused between its turns. */
export const pool = (url: string, max: number) => postgres(url, { max, connect_timeout: 0, onnotice: () => {} });

/** A statement of this folder, prepared once a connection. Runs on a pool or in a transaction. */
export function statement<Row extends object = object>(name: string) {
  const text = textOf(name);
  return (sql: postgres.ISql, ...args: readonly Argument[]): Promise<readonly Row[]> =>
    sql.unsafe<Row[]>(text, args as postgres.ParameterOrJSON<never>[], { prepare: true });
}
