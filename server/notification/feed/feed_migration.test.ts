import { afterAll, beforeAll, expect, test } from "bun:test";
import postgres from "postgres";
import { migrate, readMigrations } from "../../kernel/postgres/migrations.ts";
import { freshDatabase, type TestDatabase } from "../../testing/databases.ts";
import { notifications } from "../../testing/notification_rows.ts";

const migrations = readMigrations("notification");
const feed = migrations.findIndex(({ name }) => name === "notification/0004_feed.sql");

let database: TestDatabase;
let owner: postgres.Sql;
beforeAll(async () => {
  database = await freshDatabase("notification", undefined, false);
  owner = postgres(database.ownerUrl, { max: 1, onnotice: () => {}, types: { bigint: postgres.BigInt } });
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

test("what was sent before there were positions has them in the order of sending, and the counters go on from there", async () => {
  const run = (some: typeof migrations) => migrate({ system: "notification", ownerUrl: database.ownerUrl, migrations: some });
  expect(feed).toBeGreaterThan(0);
  await run(migrations.slice(0, feed));
  const some = {
    user_id: "u",
    stock_keeping_unit: "n::text",
    aggregate_version: "n",
    payload: "jsonb_build_object('n', n)",
    status: "case n when 2 then 'PENDING' when 3 then 'FAILED' when 4 then 'PROCESSING' else 'SENT' end",
    created_at: "now() - make_interval(mins => n)",
    position: null,
  };
  await notifications.put(owner, some, "unnest(array['alice', 'bob']) u, generate_series(1, 6) n where u = 'alice' or n < 5");
  await notifications.put(owner, { user_id: "'carla'", position: null });
  expect(await run(migrations)).toContain("notification/0004_feed.sql");
  const rows =
    await owner`select user_id, (payload ->> 'n')::int as n, position, read_at from notifications where position is not null order by user_id, position`;
  expect([...rows]).toEqual([
    { user_id: "alice", n: 6, position: 1n, read_at: null },
    { user_id: "alice", n: 5, position: 2n, read_at: null },
    { user_id: "alice", n: 1, position: 3n, read_at: null },
    { user_id: "bob", n: 1, position: 1n, read_at: null },
  ]);
  expect([...(await owner`select user_id, position from inbox_positions order by user_id`)]).toEqual([
    { user_id: "alice", position: 3n },
    { user_id: "bob", position: 1n },
  ]);
});

test.each([
  ["SENT without a position", "update notifications set status = 'SENT', sent_at = now() where user_id = 'carla'"],
  ["a position without being SENT", "update notifications set position = 1 where user_id = 'carla'"],
  ["read before it was delivered", "update notifications set read_at = now() where user_id = 'carla'"],
  ["one position twice", "update notifications set position = 1 where user_id = 'alice' and position is not null"],
])("a row cannot be %s", async (_, change) => {
  expect(await owner.unsafe(change).catch(error => error.code)).toMatch(/^(23514|23505)$/);
});
