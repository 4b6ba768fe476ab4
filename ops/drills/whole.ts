// Is the system whole again after a drill?
import postgres from "postgres";
import type { Drill } from "./drill.ts";
import type { Stage } from "./stage.ts";

interface Invariants {
  readonly invariants: readonly { readonly name: string; readonly state: "ok" | "watch" | "broken" }[];
}

const keeping = ["entitlement", "notification", "orders"] as const;

/**
 * What is missing: a backlog, FAILED rows, a grant with 2xx whose user does not have exactly one notification, an order with 2xx that is not settled,
 * a broken invariant.
 */
export async function findMissing(stage: Stage, { leaves = {} }: Pick<Drill, "leaves">): Promise<string[]> {
  const [outbox, inbox, orders, invariants] = await Promise.all([
    inDatabase(
      stage,
      "entitlement",
      sql =>
        sql<
          Count[]
        >`select status as name, count(*)::int as count from outbox_events where status <> 'PUBLISHED' or confirmed_at is null group by 1`,
    ),
    inDatabase(stage, "notification", sql => inboxOf(sql, [...stage.answered.grants])),
    inDatabase(stage, "orders", sql => ordersOf(sql, [...stage.answered.orders], leaves.abortedOrders === true)),
    Promise.all(keeping.map(system => brokenIn(stage, system))),
  ]);
  return [
    ...outbox.map(({ name, count }) => `${count} events are ${name === "PUBLISHED" ? "published and not confirmed" : name}`),
    ...inbox,
    ...orders,
    ...invariants.flat(),
  ];
}

interface Count {
  readonly name: string;
  readonly count: number;
}

async function inDatabase<T>(stage: Stage, system: (typeof keeping)[number], read: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(stage.databaseUrl(system), { max: 1, connect_timeout: 5, onnotice: () => {} });
  try {
    return await read(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function inboxOf(sql: postgres.Sql, users: readonly string[]): Promise<string[]> {
  const open = await sql<Count[]>`select status as name, count(*)::int as count from notifications where status <> 'SENT' group by 1`;
  const wrong = await sql<Count[]>`
    select granted.user_id as name, count(notification_id)::int as count
    from unnest(${[...users]}::text[]) as granted (user_id) left join notifications using (user_id)
    group by 1 having count(notification_id) <> 1`;
  return [
    ...open.map(({ name, count }) => `${count} notifications are ${name}`),
    ...wrong.map(({ name, count }) => `${name} was granted an item and has ${count} notifications`),
  ];
}

async function ordersOf(sql: postgres.Sql, ids: readonly string[], mayAbort: boolean): Promise<string[]> {
  const wrong = await sql<Count[]>`
    select coalesce(ledger.status, 'lost') as name, count(*)::int as count
    from unnest(${[...ids]}::uuid[]) as accepted (order_id) left join idempo_ledger as ledger using (order_id)
    where ledger.status is distinct from 'succeeded' and not (${mayAbort} and ledger.status is not distinct from 'failed')
    group by 1`;
  return wrong.map(({ name, count }) => `${count} accepted orders are ${name}`);
}

async function brokenIn(stage: Stage, system: (typeof keeping)[number]): Promise<string[]> {
  const { invariants } = (await stage.call(system, "GET", "/ops/consistency")) as Invariants;
  return invariants.filter(({ state }) => state === "broken").map(({ name }) => `${system}: ${name} is broken`);
}
