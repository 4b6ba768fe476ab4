import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withTimeout } from "../life/deadline.ts";
import { NoTurn, turns } from "../life/turns.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { DescriptionLost, isAway, PoolFull, type Sql } from "./database.ts";
import type { StatementWatch } from "./database_outage.ts";
import { sharedStatements } from "./shared_statements.ts";

/** One statement: its text, and the parameters and columns of its header. */
export interface Statement {
  readonly file: string;
  readonly path: readonly string[];
  readonly text: string;
  readonly parameters: readonly { readonly name: string; readonly nullable: boolean }[];
  readonly columns: readonly { readonly name: string; readonly nullable: boolean }[];
}

export const sqlRoot = join(import.meta.dir, "../../../sql");

/** Reads every statement of these folders of `sql/`, without the migrations: their files, and the shared statements of their tables. */
export function readStatements(folders: readonly string[], root = sqlRoot): Statement[] {
  return folders.flatMap(folder => {
    const plain = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter(
      file => file.endsWith(".sql") && !file.startsWith("migrations/"),
    );
    return [
      ...plain.map(path => ({ path, file: join("sql", folder, path), text: readFileSync(join(root, folder, path), "utf8") })),
      ...sharedStatements(folder, plain, root),
    ]
      .sort((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ path, file, text }) => parseStatement(file, path.replace(/\.sql$/, "").split("/"), text));
  });
}

export function parseStatement(file: string, path: readonly string[], text: string): Statement {
  const header = text.split("\n").filter(line => line.startsWith("-- "));
  const parameters = header.flatMap(line => {
    const match = /^-- \$(\d+) (\w+)(\?)?/.exec(line);
    return match ? [{ position: Number(match[1]), name: match[2]!, nullable: match[3] === "?" }] : [];
  });
  parameters.forEach(({ position, name }, index) => {
    if (position !== index + 1) throw new Error(`${file}: the header names $${position} ${name} at place ${index + 1}`);
  });
  const returns = header.find(line => line.startsWith("-- returns "))?.slice("-- returns ".length) ?? "";
  const columns = returns
    .split(",")
    .map(name => name.trim())
    .filter(Boolean);
  return {
    file,
    path,
    text,
    parameters: parameters.map(({ name, nullable }) => ({ name, nullable })),
    columns: columns.map(name => ({ name: name.replace(/\?$/, ""), nullable: name.endsWith("?") })),
  };
}

export interface Description {
  readonly parameterTypes: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

/** Describes a statement against the live schema, and compares it with its header. Throws an error with the name of the file if they differ. */
export async function describeStatement(sql: Sql, statement: Statement): Promise<Description> {
  const { types, columns } = await sql
    .unsafe(statement.text, [], { prepare: true })
    .describe()
    .catch(error => {
      // If the database is away, or no connection is left, the error is not about the file.
      throw isAway(error) || !(error as { severity?: string }).severity
        ? error
        : new Error(`${statement.file}: ${(error as Error).message}`);
    });
  // If the database cancels a statement after its description, it answers twice. The driver takes the second answer for the next statement: without types.
  if (types === undefined) throw new DescriptionLost(statement.file);
  const named = statement.parameters.length;
  if (types.length !== named) throw new Error(`${statement.file}: the header names ${named} parameters, the statement has ${types.length}`);
  const documented = statement.columns.map(column => column.name).join(", ");
  const actual = columns.map(column => column.name).join(", ");
  if (documented !== actual)
    throw new Error(`${statement.file}: the header says it returns "${documented}", the statement returns "${actual}"`);
  return { parameterTypes: types, columns: columns.map(({ name, type }) => ({ name, type })) };
}

/** The driver would send an array of booleans with the type of its first element. */
const sendable = (sql: Sql, value: unknown) => (Array.isArray(value) && typeof value[0] === "boolean" ? sql.array(value, 16) : value);

// If more than this many wait, further callers are refused.
const waitingPerConnection = 100;

/** The label of a pool in metrics: the name of its connections, `<role>@<host>/… <purpose>`, without what differs between processes. */
const poolNameOf = ({ options }: Sql) => String(options.connection?.application_name ?? "other").replace(/@\S*/, "");

/**
 * All statements as functions in the shape of the folders: `sql/<system>/<folder>/claim.sql` → `folder.claim({…})`. No more are sent than there are
 * connections. The driver would queue a statement behind a running one: it would wait for that connection while others are free, and run although
 * its caller has given up.
 */
export function bindStatements<T>(
  sql: Sql,
  statements: readonly Statement[],
  metrics: Metrics,
  deadline: number,
  watch?: StatementWatch,
): T {
  const tree: Record<string, unknown> = {};
  const { max } = sql.options;
  const mostWaiting = max * waitingPerConnection;
  const connections = turns({
    atOnce: max,
    perOwner: max,
    mostWaiting,
    mostWaitingPerOwner: mostWaiting,
    wait: deadline,
  });
  metrics.watchPool(poolNameOf(sql), { max, underWay: connections.underWay, waiting: connections.waiting });

  /** Sends a statement when a connection is free. The connection is taken until the statement has ended, even if its caller has given up. */
  async function send(name: string, send: () => Promise<unknown>): Promise<unknown> {
    const end = await connections.take("").catch(error => {
      throw error instanceof NoTurn ? new PoolFull(name) : error;
    });
    try {
      const query = send();
      query.then(end, end);
      return query;
    } catch (error) {
      end();
      throw error;
    }
  }

  for (const statement of statements) {
    const name = statement.path.join(".");
    const label = { statement: statement.path.join("_") };
    const call = async (parameters: Record<string, unknown> = {}) => {
      const stopTimer = metrics.statementSeconds.startTimer(label);
      const sentAt = performance.now();
      try {
        const values = statement.parameters.map(parameter => sendable(sql, parameters[parameter.name]));
        const rows = await withTimeout(
          deadline,
          name,
          send(name, () => sql.unsafe(statement.text, values as never[], { prepare: true })),
        );
        watch?.succeeded();
        return rows;
      } catch (error) {
        watch?.failed(error, sentAt);
        throw error;
      } finally {
        stopTimer();
      }
    };
    const folder = statement.path.slice(0, -1).reduce<Record<string, unknown>>((node, part) => {
      node[part] ??= {};
      return node[part] as Record<string, unknown>;
    }, tree);
    folder[statement.path.at(-1)!] = call;
  }
  return tree as T;
}
