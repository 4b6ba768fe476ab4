import postgres from "postgres";
import { DeadlineError } from "../life/deadline.ts";
import { databaseTarget } from "./database_url.ts";

export type Sql = postgres.Sql<{ bigint: number }>;

export interface DatabaseOptions {
  readonly url: string;
  readonly name: string;
  readonly max: number;
  readonly statementTimeout: number;
  /** False where a commit may be lost in a crash of the server without harm, because the work is only done once more. */
  readonly durable?: boolean;
}

/**
 * A pool of connections. All statements are index lookups by design, so the planner is told: a plan made while a table was empty
 * would scan it for ever after, and with arrays as parameters PostgreSQL would plan anew each time (measured: half the throughput).
 */
export function connect({ url, name, max, statementTimeout, durable = true }: DatabaseOptions): Sql {
  const { url: address, ...tls } = databaseTarget(url);
  return postgres(address, {
    ...tls,
    max,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    backoff: (failures: number) => Math.min(0.05 * 2 ** failures, 1),
    onnotice: () => {},
    connection: {
      application_name: name,
      TimeZone: "UTC",
      enable_seqscan: "off", // the driver leaves out what is false
      plan_cache_mode: "force_generic_plan",
      jit: "off",
      statement_timeout: statementTimeout,
      lock_timeout: Math.ceil(statementTimeout / 4), // who waits for a locked row is told apart from a database that does not answer
      synchronous_commit: durable ? "on" : "off",
      idle_in_transaction_session_timeout: 10_000,
    },
    types: {
      bigint: { to: 20, from: [20], parse: Number, serialize: String },
      // As text, exact to the microsecond: a time read from the database can go back into it unchanged.
      timestamptz: {
        to: 1184,
        from: [1184],
        parse: (x: string) => x,
        serialize: (x: string | Date) => (x instanceof Date ? x.toISOString() : x),
      },
    },
  }) as unknown as Sql;
}

const awayCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
]);
// 08 connection, 28 not let in, 53 out of resources, 57 operator intervention (shutdown, statement timeout), 55P03 lock timeout, 25006 read-only (a demoted primary), 40 rolled back
const awayStates = /^(08|28|53|57|55P03|25006|40)/;

const refusals: readonly [code: RegExp, sentence: string][] = [
  [/^28P01$/, "PostgreSQL refuses the user or the password: check the URL"],
  [/^28/, "PostgreSQL does not let this user in from here (pg_hba.conf): it may ask for TLS, see sslmode"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "PostgreSQL shows a certificate for another host name: check the host in the URL"],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, "PostgreSQL shows a certificate that is out of its time: renew it"],
  [
    /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/,
    "PostgreSQL shows a certificate of an authority that is not known here: check sslrootcert in the URL",
  ],
  [/^ERR_(TLS|SSL)/, "TLS with PostgreSQL failed: check sslmode in the URL and the certificates"],
];

/** Why the database does not let us in, in a sentence for people; nothing if it is another error. */
export const databaseRefusal = (error: unknown): string | undefined => refusals.find(([code]) => code.test(sqlState(error)))?.[1];

export class PoolFull extends Error {
  override readonly name = "PoolFull";
  constructor(statement: string) {
    super(`too many statements wait for a connection; ${statement} was not sent`);
  }
}

/** A statement's description did not come, though the connection lives. */
export class DescriptionLost extends Error {
  override readonly name = "DescriptionLost";
  constructor(file: string) {
    super(`the database did not describe ${file}; it is asked again`);
  }
}

/** The database is away, overloaded or restarting: the caller may try again later. Anything else is a bug or a bad input. */
export function isAway(error: unknown): boolean {
  if (error instanceof DeadlineError || error instanceof PoolFull || error instanceof DescriptionLost) return true;
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (awayCodes.has(code) || awayStates.test(code) || databaseRefusal(error) !== undefined);
}

export const sqlState = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? "");
export const violatedConstraint = (error: unknown): string =>
  String((error as { constraint_name?: unknown } | null)?.constraint_name ?? "");

// 22 data, 23 constraints, 54 limits such as the length of an index entry
const refusedStates = /^(22|23|54)/;

/** The database refuses these values, now and every time; with others it is well. */
export const isRefused = (error: unknown): boolean => refusedStates.test(sqlState(error));

/** PostgreSQL's text and jsonb hold every character but U+0000. */
export const replaceNul = (text: string): string => text.replaceAll("\0", "\uFFFD");
