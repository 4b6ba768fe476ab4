import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
let bases: [string, string];
beforeAll(async () => {
  kenri = await testKenri({ DATABASE_DEADLINE: "1s" });
  await kenri.start("entitlement:api");
  const first = kenri.urlOf("entitlement");
  await kenri.start("entitlement:api");
  bases = [first, kenri.urlOf("entitlement")];
});
afterAll(() => kenri.close());
beforeEach(async () => void (await kenri.entitlementSql`truncate entitlements, idempotency_keys, outbox_events, entitlement_audit`));

const keysOf = async (key: string) =>
  (await kenri.entitlementSql`select response_code from idempotency_keys where idem_key = ${key}`).map(row => row.response_code);

describe("a request that fails inside the database", () => {
  beforeAll(async () => {
    await kenri.entitlementSql.unsafe(`
      create function refuse_cursed() returns trigger language plpgsql as $$ begin
        if new.user_id like 'cursed%' then raise exception 'cursed'; end if; return new; end $$;
      create trigger refuse_cursed before insert on entitlements for each row execute function refuse_cursed()`);
  });
  afterAll(async () => void (await kenri.entitlementSql.unsafe("drop trigger if exists refuse_cursed on entitlements")));

  test("does not harm those it shares a batch with, and tells nothing of the inside", async () => {
    const users = Array.from({ length: 200 }, (_, n) => (n % 20 === 7 ? `cursed-${n}` : `user-${n}`));
    const answers = await Promise.all(users.map(user => kenri.grant(user, "item1")));
    for (const [n, user] of users.entries()) expect([user, answers[n]!.status]).toEqual([user, user.startsWith("cursed") ? 500 : 200]);
    const text = await answers[7]!.text();
    expect(JSON.parse(text).code).toBe("INTERNAL");
    expect(text).not.toMatch(/trigger|refuse|plpgsql|stack/);
    const [rows] =
      await kenri.entitlementSql`select (select count(*) from entitlements) as changes, (select count(*) from idempotency_keys) as keys`;
    expect(rows).toEqual({ changes: 190, keys: 190 });
  });

  test("is not stored: the same key is a first request once the trouble is over", async () => {
    expect((await kenri.grant("cursed", "item1", { key: "cursed" })).status).toBe(500);
    expect(await keysOf("cursed")).toEqual([]);
    await kenri.entitlementSql.unsafe("drop trigger refuse_cursed on entitlements");
    const answer = await kenri.grant("cursed", "item1", { key: "cursed" });
    expect([answer.status, answer.headers.has("idempotency-replayed")]).toEqual([200, false]);
  });
});

test("while the tables are locked a request is answered 503 with Retry-After, and its key is free afterwards", async () => {
  const hold = await kenri.entitlementSql.reserve();
  await hold`begin`;
  await hold`lock table entitlements in access exclusive mode`;
  const refused = await Promise.all(Array.from({ length: 10 }, (_, n) => kenri.grant(`waiting-${n}`, "item1", { key: `waiting-${n}` })));
  expect(refused.map(answer => [answer.status, answer.headers.get("retry-after")])).toEqual(Array(10).fill([503, "1"]));
  await hold`rollback`;
  hold.release();
  for (let n = 0; n < 10; n++) expect((await kenri.grant(`waiting-${n}`, "item1", { key: `waiting-${n}` })).status).toBe(200);
  const [rows] =
    await kenri.entitlementSql`select (select sum(version)::int from entitlements) as changes, (select count(*) from outbox_events) as events`;
  expect(rows).toEqual({ changes: 10, events: 10 });
});

test("a key past its time is a new request, also for 20 at once: one is done, the others get its answer", async () => {
  await kenri.start("entitlement:api", { IDEMPOTENCY_TTL: "300ms" });
  await kenri.grant("alice", "item1", { key: "old" });
  const expired = async () =>
    (await kenri.entitlementSql`select from idempotency_keys where idem_key = 'old' and expires_at <= now()`).length === 1;
  await until("the key has expired", 5000, expired);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => kenri.revoke("alice", "item1", { key: "old-revoke", base: bases[n % 2]! })),
  );
  expect(answers.filter(answer => !answer.headers.has("idempotency-replayed"))).toHaveLength(1);
  const again = await Promise.all(Array.from({ length: 20 }, (_, n) => kenri.grant("alice", "item1", { key: "old", base: bases[n % 2]! })));
  expect(again.map(answer => answer.status)).toEqual(Array(20).fill(200));
  expect(again.filter(answer => !answer.headers.has("idempotency-replayed"))).toHaveLength(1);
  expect(await again[0]!.json()).toMatchObject({ version: 3, status: "ACTIVE" });
  expect((await kenri.grant("bob", "item1", { key: "other" })).status).toBe(200);
  const another = await kenri.grant("carol", "item1", { key: "old", base: bases[0] });
  expect(await another.json()).toMatchObject({ code: "IDEMPOTENCY_KEY_CONFLICT" });
});

test("the API's description says how long a key holds", async () => {
  await kenri.start("entitlement:api", { IDEMPOTENCY_TTL: "2h" });
  const { paths } = (await (await kenri.call("entitlement", "/openapi.json")).json()) as {
    paths: Record<string, { post: { description: string } }>;
  };
  expect(paths["/v1/entitlements/grants"]!.post.description).toContain("within 2 h");
});

test("after random grants and revokes over few pairs from two processes the books agree", async () => {
  const users = ["u1", "u2", "u3"];
  const skus = ["s1", "s2"];
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)]!;
  const one = () => {
    const [user, sku, key, change] = [pick(users), pick(skus), crypto.randomUUID(), pick([kenri.grant, kenri.revoke])];
    // Some callers ask twice at once, at both processes.
    const asked = Math.random() < 0.3 ? bases : [pick(bases)];
    return Promise.all(asked.map(async base => (await change(user, sku, { key, base })).text()));
  };
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 60 }, one));
    for (const same of answers) expect(new Set(same).size).toBe(1);
  }
  const sql = kenri.entitlementSql;
  const [books] = await sql`select (select sum(version)::int from entitlements) as changes, (select count(*) from outbox_events) as events,
    (select count(*) from entitlement_audit) as audit, (select count(*) from idempotency_keys where response_code = 200) as answered, (select count(*) from idempotency_keys) as keys`;
  expect([books?.events, books?.audit, books?.answered]).toEqual(Array(3).fill(books?.changes));
  expect(books?.keys).toBe(600);
  expect(books?.changes).toBeGreaterThan(50);

  const pairs =
    await sql`select user_id, stock_keeping_unit, array_agg(version order by version) as versions, array_agg(status order by version) as statuses,
    array_agg(at order by version) as times, array_agg(previous_at order by version) as before from entitlement_audit group by 1, 2`;
  for (const pair of pairs) {
    expect(pair.versions.map(Number)).toEqual(pair.versions.map((_: unknown, n: number) => n + 1));
    for (let n = 1; n < pair.statuses.length; n++) {
      expect(pair.statuses[n]).not.toBe(pair.statuses[n - 1]);
      expect(pair.before[n]).toEqual(pair.times[n - 1]);
      expect(pair.times[n].getTime()).toBeGreaterThanOrEqual(pair.times[n - 1].getTime());
    }
  }
  const orphans =
    await sql`select from outbox_events o full join entitlement_audit a using (event_id) where o.event_id is null or a.event_id is null or o.aggregate_version <> a.version`;
  expect(orphans).toHaveLength(0);
  const [last] =
    await sql`select count(*) as wrong from entitlements e left join lateral (select status, version, at from entitlement_audit a
    where a.user_id = e.user_id and a.stock_keeping_unit = e.stock_keeping_unit order by version desc limit 1) a on true
    where (e.status, e.version, e.updated_at) is distinct from (a.status, a.version, a.at)`;
  expect(last?.wrong).toBe(0);
});
