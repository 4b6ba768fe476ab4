import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import type { IdempotencyReplayedParameters } from "../sql.gen.ts";
import { replayCounter } from "./replays.ts";

const scope = (key: string) => ({ clientId: "c", route: "/r", key });

describe("the counter of replays", () => {
  test("adds up the replays of a key, stores them once, and then has nothing to store", async () => {
    const written: IdempotencyReplayedParameters[] = [];
    const { note, flush } = replayCounter({ write: async rows => written.push(rows), metrics: createMetrics() });
    for (const key of ["a", "b", "a", "a"]) note(scope(key));
    expect([await flush(), await flush()]).toEqual([2, 0]);
    expect(written).toEqual([{ client_id: ["c", "c"], route: ["/r", "/r"], idem_key: ["a", "b"], replays: [3, 1] }]);
  });

  test("keeps counts that could not be stored for the next time", async () => {
    let isAway = true;
    const written: IdempotencyReplayedParameters[] = [];
    const write = async (rows: IdempotencyReplayedParameters) => {
      if (isAway) throw new Error("the database is away");
      written.push(rows);
    };
    const { note, flush } = replayCounter({ write, metrics: createMetrics() });
    note(scope("a"));
    expect(flush()).rejects.toThrow("away");
    note(scope("a"));
    isAway = false;
    await flush();
    expect(written).toMatchObject([{ idem_key: ["a"], replays: [2] }]);
  });

  test("is bounded: replays of further keys are not counted, and a metric counts them", async () => {
    const metrics = createMetrics();
    const written: IdempotencyReplayedParameters[] = [];
    const { note, flush } = replayCounter({ write: async rows => written.push(rows), metrics, most: 2 });
    for (const key of ["a", "b", "c", "a"]) note(scope(key));
    await flush();
    expect(written).toMatchObject([{ idem_key: ["a", "b"], replays: [2, 1] }]);
    expect(await metrics.registry.metrics()).toContain("replays_uncounted_total 1");
  });
});

interface Found {
  readonly idem_key: string;
  readonly keys: {
    client_id: string;
    route: string;
    request_hash: string;
    response_code: number;
    answer: Record<string, unknown>;
    expired: boolean;
    replays: number;
    replayed_at: string | null;
    event_id: string | null;
  }[];
}

describe("a key that is looked up", () => {
  let mint: TestMint;
  let kenri: TestKenri;
  let server: TestProcess;
  beforeAll(async () => {
    mint = await testMint();
    kenri = await testKenri({}, undefined, mint);
    server = await kenri.start("entitlement:api");
  });
  afterAll(async () => {
    await kenri.close();
    await mint.close();
  });

  const ask = async (key: string, authorization = `Bearer ${kenri.key}`) => {
    const response = await kenri.call("entitlement", `/ops/idempotency/${encodeURIComponent(key)}`, { headers: { authorization } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const look = async (key: string): Promise<Found> => JSON.parse((await ask(key)).text);
  const asPerson = async (key: string, role: string) => ask(key, `Bearer ${await mint.token("entitlement", "vera", [role])}`);

  test("shows its request, its stored response and its event, and how often the response was replayed", async () => {
    const key = "order/17?#'\"%";
    for (let asked = 0; asked < 4; asked++) expect((await kenri.grant("alice", "item1", { key })).status).toBe(200);
    await kenri.grant("somebody-else", "item1", { key }); // a conflict is no replay
    await until("the replays are written", 10_000, async () => (await look(key)).keys[0]?.replays === 3);
    const { keys } = await look(key);
    expect(keys).toMatchObject([
      {
        client_id: "tester",
        route: "/v1/entitlements/grants",
        response_code: 200,
        answer: { user_id: "alice", stock_keeping_unit: "item1", status: "ACTIVE", version: 1 },
        expired: false,
        replays: 3,
      },
    ]);
    expect(keys[0]?.request_hash).toMatch(/^[\w-]{43}$/);
    expect(Date.parse(keys[0]?.replayed_at ?? "")).toBeGreaterThan(Date.now() - 20_000);
    const [audit] = await kenri.entitlementSql`select event_id from entitlement_audit where user_id = 'alice'`;
    expect(keys[0]?.event_id).toBe(audit?.event_id);
  });

  test("shows each client and route that used it, newest first, refused requests too", async () => {
    const other = await kenri.newKey("other", ["entitlements:write"]);
    await kenri.grant("bob", "item1", { key: "shared" });
    await kenri.revoke("bob", "item1", { key: "shared" });
    await kenri.revoke("bob", "item1", { key: "shared", headers: { authorization: `Bearer ${other}` } });
    const { keys } = await look("shared");
    expect(keys.map(({ client_id, route, response_code }) => `${client_id} ${route.split("/").at(-1)} ${response_code}`)).toEqual([
      "other revokes 409",
      "tester revokes 200",
      "tester grants 200",
    ]);
    expect(keys.map(one => one.event_id !== null)).toEqual([false, true, true]);
    expect(keys[0]?.answer).toMatchObject({ code: "ENTITLEMENT_STATE_CONFLICT" });
  });

  test("has no request if nobody used it, and is marked when it has expired", async () => {
    expect(await look("nobody's")).toEqual({ idem_key: "nobody's", keys: [] });
    await kenri.grant("carol", "item1", { key: "old" });
    await kenri.entitlementSql`update idempotency_keys set expires_at = now() - interval '1 minute' where idem_key = 'old'`;
    expect((await look("old")).keys).toMatchObject([{ expired: true, replays: 0, replayed_at: null }]);
  });

  test("shows the response body only to callers who may see payloads, and nothing to callers without the scope", async () => {
    await kenri.grant("dora", "item1", { key: "secretive" });
    expect(JSON.parse((await asPerson("secretive", "OPERATOR")).text).keys[0].answer).toMatchObject({ user_id: "dora", version: 1 });
    const masked = await asPerson("secretive", "VIEWER");
    expect(JSON.parse(masked.text).keys[0].answer).toMatchObject({ user_id: "•••", version: 1 });
    expect(masked.text).not.toContain("dora");
    expectRefusal(await asPerson("secretive", "USER"), { status: 403, code: "FORBIDDEN" });
    expectRefusal(await ask("secretive", ""), { status: 401, code: "UNAUTHORIZED" });
  });

  test.each([" ", "x".repeat(256), "a\0b"])("%j cannot be a key", async key =>
    expectRefusal(await ask(key), { status: 400, code: "INVALID_REQUEST", pointer: "/key" }),
  );

  test("is counted without writing an index", async () => {
    const updates = async () =>
      (
        await kenri.entitlementSql`select n_tup_upd::int as every, n_tup_hot_upd::int as within_page
        from pg_stat_user_tables where relname = 'idempotency_keys'`
      )[0] as { every: number; within_page: number };
    await kenri.grant("erin", "item1", { key: "warm" });
    const before = await updates();
    for (const wanted of [1, 2, 3]) {
      await kenri.grant("erin", "item1", { key: "warm" });
      await until("it is written", 10_000, async () => (await look("warm")).keys[0]?.replays === wanted);
    }
    // The server tells its statistics a while after the commit.
    await until("the updates are known", 20_000, async () => (await updates()).within_page >= before.within_page + 3);
  });

  test("keeps the counts when the service is stopped", async () => {
    await kenri.grant("frida", "item1", { key: "last" });
    await Promise.all(Array.from({ length: 20 }, () => kenri.grant("frida", "item1", { key: "last" })));
    server.kill("SIGTERM");
    await server.exited;
    expect(await kenri.entitlementSql`select replays::int from idempotency_keys where idem_key = 'last'`).toMatchObject([{ replays: 20 }]);
    expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  });
});
