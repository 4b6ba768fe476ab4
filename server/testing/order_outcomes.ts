import type postgres from "postgres";
import { becomes } from "../../stack/wait.ts";
import { putOrders } from "./order_rows.ts";
import type { TestPaperBroker } from "./paper_broker.ts";
import { quoted } from "./rows.ts";

export interface Placed {
  readonly symbol?: string;
  readonly side?: "BUY" | "SELL";
  /** As an SQL interval from now. */
  readonly expiresIn?: string;
}

/** Accepts market orders as the API does: outbox, ledger and history. Returns their stored keys. */
export async function placeOrders(
  sql: postgres.Sql,
  count: number,
  { symbol = "ACME", side = "BUY", expiresIn }: Placed = {},
): Promise<string[]> {
  const columns = {
    client_id: "'tester'",
    symbol: quoted(symbol),
    side: quoted(side),
    quantity: "'1'",
    ...(expiresIn === undefined ? {} : { expires_at: `now() + ${quoted(expiresIn)}::interval` }),
  };
  return putOrders(sql, columns, `generate_series(1, ${count})`);
}

/** Waits until every order is settled. */
export async function allSettled(sql: postgres.Sql, within: number): Promise<void> {
  let open: object[] = [];
  const done = await becomes(
    within,
    async () => {
      open =
        await sql`select status, outcome_unknown, last_error_code, count(*)::int from outbox_orders where settled_at is null group by 1, 2, 3`.catch(
          error => [{ error: String(error) }],
        );
      return open.length === 0;
    },
    50,
  );
  if (!done) throw new Error(`not every order was settled within ${within} ms: ${JSON.stringify(open)}`);
}

interface Entry {
  readonly key: string;
  readonly status: string;
  readonly outbox: string | null;
  readonly unknown: boolean | null;
  readonly broker_order_id: string | null;
  readonly changes: string;
}

/** Compares the broker's book with the ledger and the outbox, order by order, after everything was settled. Returns what is wrong. */
export async function disagreements(sql: postgres.Sql, broker: Pick<TestPaperBroker, "book">): Promise<string[]> {
  // A requeued order has further keys at the broker: `1@<key>` and so on.
  const book = Map.groupBy(await broker.book(), ({ key }) => key.replace(/^\d+@/, ""));
  const entries = await sql<Entry[]>`
    select l.idempotency_key as key, l.status, o.status as outbox, o.outcome_unknown as unknown, l.broker_order_id,
      (select string_agg(coalesce(from_status, 'new') || '>' || to_status, ' ' order by entry_id) from idempo_ledger_history h where h.order_id = l.order_id) as changes
    from idempo_ledger l left join outbox_orders o using (order_id)`;
  const wrong = (entry: Entry): string | undefined => {
    const { key, status, outbox, unknown, broker_order_id, changes } = entry;
    const rows = book.get(key) ?? [];
    const executed = rows.filter(({ executions }) => executions > 0);
    if (unknown) return "its outcome is unknown";
    if (!changes.startsWith("new>accepted") || !changes.endsWith(`>${status}`)) return `its history is ${changes}`;
    const found = `${status}, and the book has ${JSON.stringify(rows)}`;
    if (status === "succeeded" && outbox === "succeeded")
      return executed.length === 1 && executed[0]!.executions === 1 && executed[0]!.broker_order_id === broker_order_id ? undefined : found;
    if (status === "failed" && outbox === "aborted")
      return rows.every(({ state }) => state === "rejected") && executed.length === 0 ? undefined : found;
    return `the ledger says ${status}, the outbox ${outbox}`;
  };
  const keys = new Set(entries.map(({ key }) => key));
  return [
    ...entries.flatMap(entry => wrong(entry)?.replace(/^/, `${entry.key}: `) ?? []),
    ...[...book.keys()].filter(key => !keys.has(key)).map(key => `${key}: in the book and not in the ledger`),
  ];
}
