import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { audits, entitlements } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { quoted } from "../../testing/rows.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement:api");
});
afterAll(() => kenri.close());

interface Held {
  readonly stock_keeping_unit: string;
  readonly status: string;
  readonly version: number;
  readonly updated_at: string;
}
const get = async (path: string) => {
  const response = await kenri.call("entitlement", path);
  return {
    status: response.status,
    body: (await response.json()) as {
      entitlements: Held[];
      detail: string;
      history: (Held & { at: string; event_id: string })[];
      next_cursor?: string;
    },
  };
};
const held = async (user: string, asOf?: string) =>
  (await get(`/v1/users/${user}/entitlements${asOf ? `?as_of=${encodeURIComponent(asOf)}` : ""}`)).body.entitlements;
const states = async (user: string, asOf?: string) =>
  (await held(user, asOf)).map(one => `${one.stock_keeping_unit} ${one.status} ${one.version}`);
const change = async (what: "grant" | "revoke", user: string, sku: string) =>
  ((await (await kenri[what](user, sku)).json()) as Held).updated_at;

/** The same time, some microseconds later or earlier. */
function shifted(iso: string, microseconds: number): string {
  const total = BigInt(Date.parse(`${iso.slice(0, 19)}Z`)) * 1000n + BigInt(iso.slice(20, 26)) + BigInt(microseconds);
  return `${new Date(Number(total / 1000n)).toISOString().slice(0, 19)}.${String(total % 1_000_000n).padStart(6, "0")}Z`;
}

describe("what a user has", () => {
  test("is nothing for a user nobody knows", async () => {
    expect(await get("/v1/users/nobody/entitlements")).toEqual({ status: 200, body: { user_id: "nobody", entitlements: [] } as never });
    expect((await get("/v1/users/nobody/entitlements/item1/history")).body.history).toEqual([]);
  });

  test("is listed by stock_keeping_unit, in the state of the last answer", async () => {
    await change("grant", "lister", "a");
    await change("revoke", "lister", "b");
    await change("grant", "lister", "c");
    const last = await change("revoke", "lister", "a");
    expect(await states("lister")).toEqual(["a REVOKED 2", "b REVOKED 1", "c ACTIVE 1"]);
    expect((await held("lister"))[0]?.updated_at).toBe(last);
  });

  test("is never ACTIVE after a revoke was answered", async () => {
    const seen: string[] = [];
    for (let n = 0; n < 30; n++) {
      await kenri.grant("swift", "item1");
      await kenri.revoke("swift", "item1");
      seen.push(...(await Promise.all(Array.from({ length: 5 }, async () => (await held("swift"))[0]!.status))));
    }
    expect(new Set(seen)).toEqual(new Set(["REVOKED"]));
  });
});

describe("what a user had", () => {
  test("is answered for the moment before, at and after each change", async () => {
    const first = await change("grant", "past", "a");
    const second = await change("revoke", "past", "a");
    const other = await change("revoke", "past", "b");
    const third = await change("grant", "past", "a");
    const expected: [string, string[]][] = [
      [shifted(first, -1), []],
      [first, ["a ACTIVE 1"]],
      [shifted(second, -1), ["a ACTIVE 1"]],
      [second, ["a REVOKED 2"]],
      [shifted(other, -1), ["a REVOKED 2"]],
      [other, ["a REVOKED 2", "b REVOKED 1"]],
      [shifted(third, -1), ["a REVOKED 2", "b REVOKED 1"]],
      [third, ["a ACTIVE 3", "b REVOKED 1"]],
      [shifted(third, 1), ["a ACTIVE 3", "b REVOKED 1"]],
    ];
    for (const [time, wanted] of expected) expect([time, await states("past", time)]).toEqual([time, wanted]);
    expect((await held("past", second)).map(one => one.updated_at)).toEqual([second]);
  });

  test("takes a time with an offset", async () => {
    const at = await change("grant", "traveller", "a");
    const inTokyo = `${new Date(Date.parse(at) + 9 * 3_600_000).toISOString().slice(0, 19)}.${at.slice(20, 26)}+09:00`;
    expect(await states("traveller", inTokyo)).toEqual(["a ACTIVE 1"]);
    expect(await states("traveller", shifted(at, -1))).toEqual([]);
  });

  test("is answered to the end of the audit's retention, also for a pair whose early changes are forgotten, and beyond it refused", async () => {
    const months = (n: number) =>
      kenri.entitlementSql`select to_char(date_trunc('month', now() at time zone 'UTC') - make_interval(months => ${n}) + interval '3 days', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at`.then(
        rows => rows[0]!.at as string,
      );
    const [forgotten, kept, horizon, before] = await Promise.all([months(15), months(2), months(13), months(14)]);
    // Version 1 was 15 months ago, and its partition was dropped.
    const [granted_at, revoked_at] = [`${quoted(forgotten)}::timestamptz`, `${quoted(kept)}::timestamptz`];
    const revoked = { user_id: "'elder'", stock_keeping_unit: "'a'", status: "'REVOKED'", version: 2 };
    await entitlements.put(kenri.entitlementSql, { ...revoked, granted_at, updated_at: revoked_at });
    await audits.put(kenri.entitlementSql, { ...revoked, at: revoked_at, previous_at: granted_at });
    // A pair that has not changed since long before the retention.
    await entitlements.put(kenri.entitlementSql, { user_id: "'elder'", stock_keeping_unit: "'b'", version: 7, updated_at: granted_at });

    expect(await states("elder", horizon)).toEqual(["a ACTIVE 1", "b ACTIVE 7"]);
    expect(Date.parse((await held("elder", horizon))[0]!.updated_at)).toBe(Date.parse(forgotten));
    expect(await states("elder", kept)).toEqual(["a REVOKED 2", "b ACTIVE 7"]);
    const refused = await get(`/v1/users/elder/entitlements?as_of=${before}`);
    expect(refused.status).toBe(400);
    expect(refused.body.detail).toContain("beyond what the audit keeps (13 months");
    const firstKept = `${horizon.slice(0, 8)}01T00:00:00Z`;
    expect((await get(`/v1/users/elder/entitlements?as_of=${firstKept}`)).status).toBe(200);
    expect((await get(`/v1/users/elder/entitlements?as_of=${shifted(`${firstKept.slice(0, 19)}.000000Z`, -1)}`)).status).toBe(400);
  });
});

describe("what a user with very many entitlements has", () => {
  // Of all kinds, and some as long as can be: their order is the database's, not ours.
  const skuOf = (n: number) => [`Sku ${n}`, `sku-${n}`, `段${n}`, `${"😀".repeat(195)}${n}`][n % 4]!;
  const count = 1201;
  let granted: string;
  beforeAll(async () => {
    const skus = Array.from({ length: count }, (_, n) => skuOf(n));
    const collected = { user_id: "'collector'", stock_keeping_unit: "sku" };
    await entitlements.put(kenri.entitlementSql, collected, `unnest(array[${skus.map(quoted)}]) sku`);
    await audits.put(
      kenri.entitlementSql,
      { ...collected, stock_keeping_unit: "stock_keeping_unit", at: "updated_at" },
      "entitlements where user_id = 'collector'",
    );
    granted = (await held("collector"))[0]!.updated_at;
  });

  async function pages(query: string): Promise<Held[][]> {
    const all: Held[][] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined && all.length < 100; ) {
      const { status, body } = await get(`/v1/users/collector/entitlements?${query}${cursor && `&cursor=${cursor}`}`);
      expect(status).toBe(200);
      all.push(body.entitlements);
      cursor = body.next_cursor;
    }
    return all;
  }
  const all = Array.from({ length: count }, (_, n) => skuOf(n)).sort();

  test("comes in pages of at most 200 that together are everything, once each", async () => {
    expect((await get("/v1/users/collector/entitlements")).body.entitlements).toHaveLength(100);
    const found = await pages("limit=200");
    expect(found.map(page => page.length)).toEqual([200, 200, 200, 200, 200, 200, 1]);
    expect(found.flat().map(one => one.stock_keeping_unit)).toEqual([...new Set(found.flat().map(one => one.stock_keeping_unit))]);
    expect(
      found
        .flat()
        .map(one => one.stock_keeping_unit)
        .sort(),
    ).toEqual(all);
    expect((await pages("limit=150")).map(page => page.length)).toEqual([150, 150, 150, 150, 150, 150, 150, 150, 1]);
  });

  test("is complete while it grows, and says nothing of more when a page ends where it ends", async () => {
    const user = "grower";
    for (const sku of ["a", "c", "e"]) await kenri.grant(user, sku);
    const path = `/v1/users/${user}/entitlements`;
    const first = (await get(`${path}?limit=2`)).body;
    await kenri.grant(user, "b");
    await kenri.grant(user, "d");
    const second = (await get(`${path}?limit=2&cursor=${first.next_cursor}`)).body;
    expect([...first.entitlements, ...second.entitlements].map(one => one.stock_keeping_unit)).toEqual(["a", "c", "d", "e"]);
    expect(second.next_cursor).toBeUndefined();
  });

  test("comes in pages of the past too, and the time before anything was granted is walked in bounded steps", async () => {
    const then = await pages(`as_of=${encodeURIComponent(granted)}&limit=200`);
    expect(
      then
        .flat()
        .map(one => one.stock_keeping_unit)
        .sort(),
    ).toEqual(all);
    expect(Math.max(...then.map(page => page.length))).toBe(200);
    const before = await pages(`as_of=${encodeURIComponent(shifted(granted, -1))}`);
    expect(before).toEqual([[], [], []]);
  });

  test("is not read with a cursor of another user, another time or of nobody", async () => {
    const { next_cursor } = (await get("/v1/users/collector/entitlements?limit=1")).body;
    const tampered = `${next_cursor!.slice(0, -2)}AA`;
    const past = `as_of=${encodeURIComponent(granted)}`;
    for (const wrong of [
      `somebody/entitlements?cursor=${next_cursor}`,
      `collector/entitlements?${past}&cursor=${next_cursor}`,
      `collector/entitlements?cursor=${tampered}`,
      "collector/entitlements?cursor=nonsense",
      `collector/entitlements?cursor=${"A".repeat(1101)}`,
      "collector/entitlements?limit=0",
      "collector/entitlements?limit=201",
    ])
      expect([wrong, (await get(`/v1/users/${wrong}`)).status]).toEqual([wrong, 400]);
  });
});

test("the history of a pair comes in pages, newest first, complete and without repeats while it grows", async () => {
  for (let n = 0; n < 7; n++)
    await kenri[n % 2 === 0 ? "grant" : "revoke"]("historian", "item1", { reason: `reason ${n + 1}`, purchase: `p_${n + 1}` });
  const path = "/v1/users/historian/entitlements/item1/history?limit=3";
  const versions: number[] = [];
  let page = (await get(path)).body;
  await kenri.revoke("historian", "item1");
  for (;;) {
    versions.push(...page.history.map(row => row.version));
    if (!page.next_cursor) break;
    page = (await get(`${path}&cursor=${page.next_cursor}`)).body;
  }
  expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1]);
  const [first] = page.history.slice(-1);
  const [event] =
    await kenri.entitlementSql`select event_id from outbox_events where aggregate_key = 'historian:item1' and aggregate_version = 1`;
  expect(first as unknown).toEqual({
    version: 1,
    status: "ACTIVE",
    at: expect.stringMatching(/Z$/),
    event_id: event?.event_id,
    client_id: "tester",
    reason: "reason 1",
    purchase_id: "p_1",
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

describe("the app role", () => {
  let app: postgres.Sql;
  beforeAll(async () => {
    app = postgres(kenri.entitlement.appUrl, { max: 1, onnotice: () => {} });
    await kenri.grant("audited", "item1");
  });
  afterAll(() => app.end());

  const partition = `entitlement_audit_${new Date().toISOString().slice(0, 7).replace("-", "")}`;
  const forbidden = [
    "update entitlement_audit set client_id = 'x'",
    "delete from entitlement_audit",
    "truncate entitlement_audit",
    `delete from ${partition}`,
    `update ${partition} set client_id = 'x'`,
    `drop table ${partition}`,
    "delete from entitlements",
    "update idempotency_keys set response_body = ''",
    "update operator_actions set actor = 'x'",
    "delete from operator_actions",
    "insert into api_keys select * from api_keys",
    "update api_keys set scopes = '{}'",
    "update secrets set value = ''",
    "delete from schema_migrations",
    "create table loot (a int)",
    "create function loot() returns int language sql return 1",
    "alter table entitlements add column loot int",
    "drop table entitlements",
    "create schema loot",
    "create index on entitlements (source)",
    "select make_audit_partitions(3)",
    "select drop_audit_partitions(1)",
    "create role loot",
    "set role entitlement_owner",
    "copy (select 1) to program 'true'",
  ];
  test.each(forbidden)("may not: %s", async statement => {
    const error = await app.unsafe(statement).then(
      () => undefined,
      reason => reason as { code: string },
    );
    expect(error?.code).toBe("42501");
  });
});
