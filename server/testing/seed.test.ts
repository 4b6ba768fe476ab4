import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import postgres from "postgres";
import { type TestDatabase, testDatabase } from "./databases.ts";
import type { Chain } from "./seeds/chains.ts";
import type { Hostile } from "./seeds/hostile.ts";

const counted = {
  entitlement: ["entitlements", "entitlement_audit", "idempotency_keys", "outbox_events", "operator_actions", "operations"],
  notification: ["notifications", "processed_events", "notification_dlq", "notification_nats_dlq"],
  orders: ["outbox_orders", "order_attempts", "idempo_ledger", "idempo_ledger_history", "operator_actions", "operations"],
};
const databases: TestDatabase[] = [];
const pools: postgres.Sql[] = [];
beforeAll(async () => {
  for (const system of Object.keys(counted)) {
    const database = await testDatabase(system);
    databases.push(database);
    pools.push(postgres(database.ownerUrl, { max: 1 }));
  }
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  for (const database of databases) await database.drop();
});

async function seed<Answer>(what: string, input?: unknown): Promise<Answer> {
  const [ENTITLEMENT_DATABASE_URL, NOTIFICATION_DATABASE_URL, ORDERS_DATABASE_URL] = databases.map(database => database.ownerUrl);
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "seed.ts"), what], {
    env: { ...process.env, ENTITLEMENT_DATABASE_URL, NOTIFICATION_DATABASE_URL, ORDERS_DATABASE_URL },
    stdin: new Blob([input === undefined ? "" : JSON.stringify(input)]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [answer, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, errors]).toEqual([0, ""]);
  return JSON.parse(answer);
}

const counts = () =>
  Promise.all(
    Object.values(counted).flatMap((tables, system) =>
      tables.map(async table => [table, (await pools[system]!.unsafe(`select from ${table}`)).length] as const),
    ),
  );

test("the seeds of the pictures fit the schema", async () => {
  const known = await seed<Record<string, string>>("believable");
  expect(Object.keys(known)).toContain("onTheWay");
  expect(Object.keys(await seed<Record<string, string>>("journeys"))).toHaveLength(10);
});

test("forget deletes the rows of a seed and no others", async () => {
  const before = await counts();
  const chain = { at: Date.now(), user: "one", sku: "s", version: 1, reason: "r", purchase: "p", client: "c", key: "k" };
  const chains: Chain[] = [{ ...chain, outbox: { status: "FAILED", attempts: 2, error: "e" } }];
  expect(await seed<object[]>("chains", chains)).toHaveLength(1);
  const order = { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" };
  const calls = [{ kind: "send", after: 5, took: 3, outcome: "unknown" }];
  const at = Date.now();
  await seed("orders", [{ at, client: "one-client", key: "k", order, status: "failed", isUnknown: true, calls, code: "TIMEOUT" }]);
  const { forget } = await seed<Hostile>("hostile");
  const { id } = await seed<{ id: string }>("unknown-key");
  expect(await counts()).not.toEqual(before);
  for (const what of [forget, { prefix: "on" }, { letters: [id] }]) await seed("forget", what);
  expect(await counts()).toEqual(before);
});

test("an unknown seed is refused with the names of all", () => {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "seed.ts"), "nothing"]);
  expect([exitCode, stderr.toString()]).toEqual([2, expect.stringContaining("chains | believable | hostile")]);
});
