import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { groupCommit } from "./group_commit.ts";
import { fillPrice } from "./market.ts";
import type { PaperOrder } from "./paper_order.ts";

export type PaperState = "received" | "filled" | "open" | "rejected";

/** One key of the book. The details are those of its first order and its first execution. */
export interface BookRow extends PaperOrder {
  readonly number: number;
  readonly key: string;
  readonly state: PaperState;
  readonly executions: number;
  readonly broker_order_id: string | null;
  readonly price: string | null;
  readonly reason_code: string | null;
  readonly message: string | null;
  readonly received_at: string;
  readonly executed_at: string | null;
}

export interface Execution {
  readonly broker_order_id: string;
  readonly state: "filled" | "open";
  readonly price: string | undefined;
  readonly executed_at: string;
}

export interface Totals {
  readonly orders: number;
  readonly executions: number;
  /** Keys with more than one execution. */
  readonly executed_twice: number;
  readonly received: number;
  readonly rejected: number;
}

/** Every promise of a write is fulfilled after the record is on the disk. */
export interface Book {
  /** Records an order that will be executed or rejected. */
  receive(key: string, order: PaperOrder): Promise<void>;
  /** Two calls are two executions, also of one key. */
  execute(key: string, order: PaperOrder): Promise<Execution>;
  reject(key: string, reasonCode: string, message: string): Promise<void>;
  /** The orders that were received and neither executed nor rejected, each as often as it was received. */
  unfinished(): BookRow[];
  /** After all writes that were called before: an order that arrived earlier is found. */
  find(key: string): Promise<BookRow | undefined>;
  /** Oldest first. */
  after(number: number, limit: number): BookRow[];
  /** Newest first. */
  before(number: number, limit: number): BookRow[];
  totals(): Totals;
  close(): void;
}

// `working` counts the orders of this key that were received and neither executed nor rejected yet.
const schema = `
  create table if not exists orders (
    number integer primary key autoincrement,
    key text not null unique,
    symbol text not null, side text not null, quantity text not null, order_type text not null, limit_price text, client_tag text,
    state text not null check (state in ('received', 'filled', 'open', 'rejected')),
    working integer not null check (working >= 0),
    executions integer not null default 0,
    broker_order_id text unique, price text, reason_code text, message text,
    received_at text not null, executed_at text
  ) strict`;

/** Opens the book of a folder. */
export function openBook(folder: string): Book {
  mkdirSync(folder, { recursive: true });
  const db = new Database(join(folder, "book.sqlite"), { create: true, strict: true });
  try {
    // With the exclusive lock, a second broker in the same folder fails at its start.
    db.exec("pragma busy_timeout = 2000; pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full;");
    db.exec(schema);
  } catch (error) {
    if ((error as { code?: string }).code !== "SQLITE_BUSY") throw error;
    throw new Error(`another paper broker uses ${folder}: stop it, or name another folder`);
  }

  const commit = groupCommit(db);

  const received = db.query(`
    insert into orders (key, symbol, side, quantity, order_type, limit_price, client_tag, state, working, received_at)
    values ($key, $symbol, $side, $quantity, $order_type, $limit_price, $client_tag, 'received', 1, $now)
    on conflict (key) do update set working = working + 1, state = iif(executions > 0, state, 'received')`);
  const executed = db.query(`
    update orders
    set working = working - 1, executions = executions + 1, state = iif(executions > 0, state, $state),
      broker_order_id = coalesce(broker_order_id, $broker_order_id), price = iif(executions > 0, price, $price),
      executed_at = coalesce(executed_at, $executed_at), reason_code = null, message = null
    where key = $key`);
  const rejected = db.query(`
    update orders
    set working = working - 1,
      state = case when executions > 0 then state when working > 1 then 'received' else 'rejected' end,
      reason_code = iif(executions > 0, null, $reason_code), message = iif(executions > 0, null, $message)
    where key = $key`);
  const unfinished = db.query<BookRow & { working: number }, []>("select * from orders where working > 0");
  const found = db.query<BookRow, [string]>("select * from orders where key = ?");
  const older = db.query<BookRow, [number, number]>("select * from orders where number < ? order by number desc limit ?");
  const newer = db.query<BookRow, [number, number]>("select * from orders where number > ? order by number limit ?");
  const counted = db.query<Totals, []>(`
    select count(*) as orders, coalesce(sum(executions), 0) as executions, count(*) filter (where executions > 1) as executed_twice,
      count(*) filter (where state = 'received') as received, count(*) filter (where state = 'rejected') as rejected
    from orders`);

  return {
    receive: (key, { symbol, side, quantity, order_type, limit_price, client_tag }) =>
      commit(() => void received.run({ key, symbol, side, quantity, order_type, limit_price, client_tag, now: now() })),
    execute(key, order) {
      const price = fillPrice(order);
      const state = price === undefined ? "open" : "filled";
      const execution: Execution = { broker_order_id: `paper-${Bun.randomUUIDv7()}`, state, price, executed_at: now() };
      return commit(() => {
        executed.run({ key, ...execution, price: price ?? null });
        return execution;
      });
    },
    reject: (key, reason_code, message) => commit(() => void rejected.run({ key, reason_code, message })),
    unfinished: () => unfinished.all().flatMap(row => Array<BookRow>(row.working).fill(row)),
    find: key => commit(() => found.get(key) ?? undefined),
    after: (number, limit) => newer.all(number, limit),
    before: (number, limit) => older.all(number, limit),
    totals: () => counted.get()!,
    close: () => db.close(),
  };
}

const now = () => new Date().toISOString();
