// Parts of the scenarios in postgres_client.ts: pools, a proxy in front of the server, and waiting with a deadline.
import assert from "node:assert/strict";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import postgres from "postgres";
import { withTimeout } from "../server/kernel/life/deadline.ts";
import { until } from "../stack/wait.ts";

export type Ask = "halt" | "start";

const url = process.env.KENRI_TEST_POSTGRES_URL!;
const pools: postgres.Sql[] = [];

export function pool(options: postgres.Options<Record<string, postgres.PostgresType>> = {}): postgres.Sql {
  const backoff = (failures: number) => Math.min(0.05 * 2 ** failures, 1);
  const sql = postgres(url, { max: 1, backoff, onnotice: () => {}, ...options });
  pools.push(sql);
  return sql;
}

export const admin = pool();

/** Asks the test to kill or start the server. */
export function server(ask: Ask): Promise<void> {
  return new Promise(resolve => {
    process.once("message", () => resolve());
    process.send?.(ask);
  });
}

/** A listener on loopback that passes each connection to `onConnection`. */
export async function listen(onConnection: (socket: Socket) => void, port = 0): Promise<{ port: number; listener: Server }> {
  const listener = createServer(socket => {
    socket.on("error", () => {});
    socket.unref();
    onConnection(socket);
  });
  await new Promise<void>(resolve => listener.listen(port, "127.0.0.1", resolve));
  listener.unref();
  return { port: (listener.address() as { port: number }).port, listener };
}

/** Forwards everything to the real server, except pieces that `refuses` returns true for. */
export function handOn(socket: Socket, refuses: (piece: Buffer) => boolean = () => false): void {
  const upstream = dial(Number(new URL(url).port), "127.0.0.1");
  upstream.on("error", () => {});
  upstream.pipe(socket);
  socket.on("data", piece => refuses(piece as Buffer) || upstream.write(piece));
  socket.on("close", () => upstream.destroy());
}

export const settles = <T>(what: string, work: PromiseLike<T>): Promise<T> => withTimeout(5_000, what, Promise.resolve(work));

export async function fails(what: string, work: PromiseLike<unknown>, ...codes: string[]): Promise<void> {
  const code = await settles(what, work).then(
    () => "it succeeded",
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
  assert.ok(codes.includes(code), `${what}: ${code}, expected ${codes.join(" or ")}`);
}

export async function works(sql: postgres.Sql | postgres.ReservedSql): Promise<void> {
  for (const n of [1, 2]) assert.deepEqual([...(await settles(`query ${n}`, sql`select ${n}::int as n`))], [{ n }]);
}

export const pidOf = async (sql: postgres.Sql | postgres.TransactionSql | postgres.ReservedSql): Promise<number> =>
  (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]!.pid;

/** Ends a backend. Returns when it is gone; its client notices a moment later. */
export const terminate = (pid: number) => admin`select pg_terminate_backend(${pid}, 5000)`;

export const sleeping = (pid: number) =>
  until(
    "the backend sleeps",
    5_000,
    async () => (await admin`select from pg_stat_activity where pid = ${pid} and wait_event = 'PgSleep'`).length > 0,
  );

export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

export const lost = ["CONNECTION_CLOSED", "ECONNRESET"];

/** After this nothing keeps the process alive; listeners are unreferenced. */
export async function closeAll(): Promise<void> {
  for (const sql of pools) await settles("end()", sql.end({ timeout: 1 }));
}
