import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { allRoles, type TestKenri, testKenri } from "../../testing/kenri.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start(allRoles);
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

interface Asking {
  readonly key?: string | null;
  readonly verb?: string;
  readonly user?: string;
  readonly roles?: readonly string[];
  readonly authorization?: string;
  readonly body?: unknown;
}
const good = { stock_keeping_unit: "sword", purchase_id: "ticket-7", reason: "lost in a crash" };

/** A change by hand, by otto by default. */
async function ask({ key = crypto.randomUUID(), verb = "grants", user = "alice", roles = ["OPERATOR"], ...given }: Asking) {
  const authorization = given.authorization ?? `Bearer ${await mint.token("entitlement", "otto", roles)}`;
  const response = await kenri.call("entitlement", `/ops/users/${encodeURIComponent(user)}/${verb}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...(key === null ? {} : { "idempotency-key": key }) },
    body: typeof given.body === "string" ? given.body : JSON.stringify(given.body ?? good),
  });
  const replayed = response.headers.get("idempotency-replayed") === "true";
  return { status: response.status, headers: response.headers, text: await response.text(), replayed };
}

async function read(path: string, role = "VIEWER") {
  const authorization = `Bearer ${await mint.token("entitlement", "vera", [role])}`;
  const response = await kenri.call("entitlement", path, { headers: { authorization } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** All that a change writes, for one user. */
async function rowsOf(user: string) {
  const [rows] = await kenri.entitlementSql`select
    (select coalesce(sum(version), 0)::int from entitlements where user_id = ${user}) as changes,
    (select count(*)::int from entitlement_audit where user_id = ${user}) as audit,
    (select count(*)::int from outbox_events where payload ->> 'user_id' = ${user}) as events,
    (select count(*)::int from operator_actions where detail ->> 'user_id' = ${user}) as actions`;
  return rows as unknown as Record<string, number>;
}
const one = { changes: 1, audit: 1, events: 1, actions: 1 };
const none = { changes: 0, audit: 0, events: 0, actions: 0 };

test("a grant by hand notifies the user, and has the operator and the reason in the audit and in the event's journey", async () => {
  const answer = await ask({ user: "told", key: "told-1" });
  expect(JSON.parse(answer.text)).toMatchObject({ user_id: "told", stock_keeping_unit: "sword", status: "ACTIVE", version: 1 });
  await until("the user is notified", 15_000, async () => (await kenri.inbox("told"))[0]?.status === "SENT");
  expect((await kenri.inbox("told")).map(({ type, payload }) => [type, payload])).toMatchObject([
    ["EntitlementGranted", { stock_keeping_unit: "sword", version: 1 }],
  ]);
  expect(JSON.stringify(await kenri.inbox("told"))).not.toContain(good.reason);

  const { events } = JSON.parse((await read("/ops/journey/told-1", "OPERATOR")).text);
  expect(events).toMatchObject([
    {
      audit: { client_id: "user:otto", detail: { reason: "operator", purchase_id: "ticket-7" } },
      actions: [{ actor: "user:otto", action: "entitlement.grant", reason: good.reason, detail: { user_id: "told", version: 1 } }],
    },
  ]);
  const { actions } = JSON.parse((await read(`/ops/actions?subject=${events[0].event_id}`)).text);
  expect(actions).toHaveLength(1);
});

test("clicked often it is done once: one change, one audit row, one event, one action, and the same answer for every click", async () => {
  await kenri.start("entitlement:api");
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask({ user: "clicked", key: "clicked-1" })));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  expect(await rowsOf("clicked")).toEqual(one);
});

test("a response that was lost with its process is returned again, and nothing is done twice", async () => {
  const doomed = await kenri.start("entitlement:api");
  await kenri.revoke("unlucky", "sword");
  const hold = await kenri.entitlementSql.reserve();
  await hold`begin`;
  await hold`select from entitlements where user_id = 'unlucky' for update`;
  const lost = ask({ user: "unlucky", key: "unlucky-1" }).catch(error => error);
  await until("the change waits for the lock", 5000, async () => {
    const waiting =
      await kenri.entitlementSql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '-- Grants or revokes%'
      and datname = current_database()`;
    return waiting.length > 0;
  });
  doomed.kill("SIGKILL");
  await doomed.exited;
  await hold`commit`;
  hold.release();
  expect(await lost).toBeInstanceOf(Error);
  await until("it was committed all the same", 5000, async () => (await rowsOf("unlucky")).changes === 2);
  await kenri.start("entitlement:api");
  const again = await ask({ user: "unlucky", key: "unlucky-1" });
  expect([again.status, again.replayed]).toEqual([200, true]);
  expect(await rowsOf("unlucky")).toEqual({ changes: 2, audit: 2, events: 2, actions: 1 });
});

test("a change to the present state is refused, and leaves no action; a revoke has an action of its own", async () => {
  await ask({ user: "twice" });
  const refusal: Refusal = { status: 409, code: "ENTITLEMENT_STATE_CONFLICT" };
  expectRefusal(await ask({ user: "twice" }), refusal);
  expect(await rowsOf("twice")).toEqual(one);
  expect(JSON.parse((await ask({ user: "twice", verb: "revokes" })).text)).toMatchObject({ status: "REVOKED", version: 2 });
  expect(await rowsOf("twice")).toEqual({ changes: 2, audit: 2, events: 2, actions: 2 });
});

test.each([
  ["another item", { body: { ...good, stock_keeping_unit: "shield" } }],
  ["another record", { body: { ...good, purchase_id: "ticket-8" } }],
  ["another reason", { body: { ...good, reason: "because" } }],
  ["another user", { user: "mallory" }],
] as [string, Asking][])("a key that was used before does not serve for %s", async (name, other) => {
  const user = `first ${name}`;
  await ask({ user, key: name.replace(" ", "-") });
  expectRefusal(await ask({ user, key: name.replace(" ", "-"), ...other }), { status: 409, code: "IDEMPOTENCY_KEY_CONFLICT" });
  expect([await rowsOf(user), await rowsOf("mallory")]).toEqual([one, none]);
});

test("a change that cannot be audited is not made, and its key is free afterwards", async () => {
  await kenri.entitlementSql.unsafe("alter table operator_actions add constraint no_ghosts check (detail ->> 'user_id' <> 'ghost')");
  expect((await ask({ user: "ghost", key: "ghost-1" })).status).toBe(500);
  expect(await rowsOf("ghost")).toEqual(none);
  await kenri.entitlementSql.unsafe("alter table operator_actions drop constraint no_ghosts");
  expect(await ask({ user: "ghost", key: "ghost-1" })).toMatchObject({ status: 200, replayed: false });
  expect(await rowsOf("ghost")).toEqual(one);
});

test("two people with the same key make two changes", async () => {
  await ask({ user: "shared", key: "shared-1" });
  const authorization = `Bearer ${await mint.token("entitlement", "olga", ["ADMIN"])}`;
  const answer = await ask({ user: "shared", key: "shared-1", verb: "revokes", authorization });
  expect([answer.status, answer.replayed]).toEqual([200, false]);
  const actors =
    await kenri.entitlementSql`select actor, action from operator_actions where detail ->> 'user_id' = 'shared' order by action_id`;
  expect(actors.map(row => [row.actor, row.action])).toEqual([
    ["user:otto", "entitlement.grant"],
    ["user:olga", "entitlement.revoke"],
  ]);
});

test("machine clients leave no action of an operator", async () => {
  await kenri.grant("machine", "sword");
  expect(await rowsOf("machine")).toEqual({ ...one, actions: 0 });
});

describe("nothing is changed", () => {
  const forbidden: Refusal = { status: 403, code: "FORBIDDEN" };
  test.each([
    ["a viewer", ["VIEWER"]],
    ["a user", ["USER"]],
    ["nobody in particular", []],
    ["the gateway by itself", ["GATEWAY"]],
  ])("by %s", async (_, roles) => {
    for (const verb of ["grants", "revokes"]) expectRefusal(await ask({ user: "closed", roles, verb }), forbidden);
    expect(await rowsOf("closed")).toEqual(none);
  });

  test("by an API key, whatever it may do elsewhere, nor by a stranger", async () => {
    expectRefusal(await ask({ user: "closed", authorization: `Bearer ${kenri.key}` }), forbidden);
    expectRefusal(await ask({ user: "closed", authorization: "" }), { status: 401, code: "UNAUTHORIZED" });
    expect(await rowsOf("closed")).toEqual(none);
  });

  const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
  const long = (length: number) => "x".repeat(length);
  const cases: [name: string, asking: Asking, refusal: Refusal][] = [
    ["no key", { key: null }, invalid()],
    ["an empty key", { key: "" }, invalid()],
    ["a key with a space", { key: "a b" }, invalid()],
    ["a key of 256 characters", { key: long(256) }, invalid()],
    ["no body", { body: "" }, invalid()],
    ["no JSON", { body: "{" }, invalid()],
    ["no item", { body: { ...good, stock_keeping_unit: undefined } }, invalid("/stock_keeping_unit")],
    ["an item with a colon", { body: { ...good, stock_keeping_unit: "a:b" } }, invalid("/stock_keeping_unit")],
    ["a blank item", { body: { ...good, stock_keeping_unit: " " } }, invalid("/stock_keeping_unit")],
    ["an item of 201 characters", { body: { ...good, stock_keeping_unit: long(201) } }, invalid("/stock_keeping_unit")],
    ["no record", { body: { ...good, purchase_id: undefined } }, invalid("/purchase_id")],
    ["a record that is a number", { body: { ...good, purchase_id: 7 } }, invalid("/purchase_id")],
    ["no reason", { body: { ...good, reason: undefined } }, invalid("/reason")],
    ["a blank reason", { body: { ...good, reason: "\n" } }, invalid("/reason")],
    ["a reason of 501 characters", { body: { ...good, reason: long(501) } }, invalid("/reason")],
    ["a reason with U+0000", { body: { ...good, reason: "a\0b" } }, invalid("/reason")],
    ["an unknown field", { body: { ...good, version: 7 } }, invalid("/version")],
    ["the user in the body", { body: { ...good, user_id: "mallory" } }, invalid("/user_id")],
    ["a blank user", { user: " " }, invalid("/user_id")],
    ["a user of 201 characters", { user: long(201) }, invalid("/user_id")],
    ["a way up for a user", { user: "../x" }, invalid("/user_id")],
  ];
  test.each(cases)("by %s", async (_, asking, refusal) => {
    const user = asking.user ?? "refused";
    for (const verb of ["grants", "revokes"]) expectRefusal(await ask({ verb, ...asking, user }), refusal);
    expect(await rowsOf(user)).toEqual(none);
  });
});

describe("what a user has and had", () => {
  const user = "hana/日本 %";
  const path = `/ops/users/${encodeURIComponent(user)}`;
  beforeAll(async () => {
    for (const item of ["a", "b", "c"]) await kenri.grant(user, item);
    await ask({ user, verb: "revokes", body: { ...good, stock_keeping_unit: "b" } });
    await kenri.grant("other", "a");
  });
  type Past = { stock_keeping_unit: string; version: number; status: string; at: string; actions: { reason: string }[] };
  const pasts = async (query: string) =>
    JSON.parse((await read(`${path}/history${query}`)).text) as { history: Past[]; next_cursor?: string };

  test("is read as it is now and as of a time", async () => {
    const now = JSON.parse((await read(`${path}/entitlements`)).text);
    expect(now).toMatchObject({ user_id: user });
    expect(now.entitlements.map((row: Past) => [row.stock_keeping_unit, row.status])).toEqual([
      ["a", "ACTIVE"],
      ["b", "REVOKED"],
      ["c", "ACTIVE"],
    ]);
    const { history } = await pasts("");
    const then = JSON.parse((await read(`${path}/entitlements?as_of=${history[2]!.at}`)).text);
    expect(then.entitlements.map((row: Past) => [row.stock_keeping_unit, row.status])).toEqual([
      ["a", "ACTIVE"],
      ["b", "ACTIVE"],
    ]);
    const first = JSON.parse((await read(`${path}/entitlements?limit=2`)).text);
    const second = JSON.parse((await read(`${path}/entitlements?limit=2&cursor=${first.next_cursor}`)).text);
    expect([...first.entitlements, ...second.entitlements]).toEqual(now.entitlements);
    expect(second.next_cursor).toBeUndefined();
    expect(JSON.parse((await read("/ops/users/nobody/entitlements")).text)).toEqual({ user_id: "nobody", entitlements: [] });
  });

  test("has a history of all items, newest first, page by page, with the reasons of operators", async () => {
    const { history, next_cursor } = await pasts("");
    expect(next_cursor).toBeUndefined();
    expect(history.map(row => `${row.stock_keeping_unit}${row.version}`)).toEqual(["b2", "c1", "b1", "a1"]);
    expect(history.map(row => row.actions.map(action => action.reason))).toEqual([[good.reason], [], [], []]);
    const first = await pasts("?limit=3");
    expect([...first.history, ...(await pasts(`?limit=3&cursor=${first.next_cursor}`)).history]).toEqual(history);
    expect(JSON.parse((await read("/ops/users/nobody/history")).text)).toEqual({ user_id: "nobody", history: [] });
  });

  test.each([
    ["entitlements?as_of=yesterday"],
    ["entitlements?as_of=2026-02-30T00:00:00Z"],
    ["entitlements?as_of=2999-01-01T00:00:00Z"],
    ["entitlements?as_of=1999-01-01T00:00:00Z"],
    ["entitlements?asof=2026-01-01T00:00:00Z"],
    ["entitlements?limit=0"],
    ["entitlements?cursor=nonsense"],
    ["history?limit=0"],
    ["history?limit=201"],
    ["history?cursor=nonsense"],
    ["history?user=x"],
  ])("is not read by %s", async query => expectRefusal(await read(`${path}/${query}`), { status: 400, code: "INVALID_REQUEST" }));

  test("hides from viewers what an operator's action kept of an event", async () => {
    await ask({ user: "veiled", body: { ...good, purchase_id: "ticket-7" } });
    const [event] = await kenri.entitlementSql`select event_id from entitlement_audit where user_id = 'veiled'`;
    await kenri.entitlementSql`insert into operator_actions (actor, action, subject, reason, detail)
      values ('user:ada', 'outbox.discard', ${event!.event_id}, 'why', ${kenri.entitlementSql.json({ payload: { source_id: "secret-9" } })})`;
    expect((await read("/ops/users/veiled/history", "OPERATOR")).text).toContain("secret-9");
    const { text } = await read("/ops/users/veiled/history");
    for (const secret of ["secret-9", "ticket-7"]) expect(text).not.toContain(secret);
  });

  test("is read by viewers, with a cursor of the same user, and by no others", async () => {
    const { next_cursor } = await pasts("?limit=1");
    expectRefusal(await read(`/ops/users/other/history?cursor=${next_cursor}`), { status: 400, code: "INVALID_REQUEST" });
    for (const what of ["entitlements", "history"]) {
      for (const role of ["VIEWER", "OPERATOR", "ADMIN"]) expect((await read(`${path}/${what}`, role)).status).toBe(200);
      expectRefusal(await read(`${path}/${what}`, "USER"), { status: 403, code: "FORBIDDEN" });
    }
  });
});
