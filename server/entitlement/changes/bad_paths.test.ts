import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { badLimits, badTimes, invalid } from "../../testing/bad_requests.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let cursor: string;
const eventId = "01890000-0000-7000-8000-000000000000";
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement:api");
  for (const change of [kenri.grant, kenri.revoke, kenri.grant]) await change("alice", "item1");
  cursor = ((await (await kenri.call("entitlement", `${history}?limit=1`)).json()) as { next_cursor: string }).next_cursor;
});
afterAll(() => kenri.close());

const list = "/v1/users/alice/entitlements";
const history = `${list}/item1/history`;
const notFound: Refusal = { status: 404, code: "NOT_FOUND" };

async function ask(path: string, init: RequestInit = {}) {
  const response = await kenri.call("entitlement", path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("a path that names nothing is refused", () => {
  const user = (id: string) => `/v1/users/${id}/entitlements`;
  const cases: [name: string, path: string, refusal: Refusal][] = [
    ["no such path", "/v1/nothing", notFound],
    ["an empty user", user(""), notFound],
    ["a blank user", user("%20%09"), invalid("/user_id")],
    ["a way up", user("..%2f..%2fetc"), invalid("/user_id")],
    ["a way up, backwards", user("..%5c..%5cetc"), invalid("/user_id")],
    ["a way up, twice encoded", "/v1/users/%252e%252e/../../etc/passwd", notFound],
    ["U+0000", user("%00"), invalid("/user_id")],
    ["half a character", user("%E3%81"), invalid()],
    ["a surrogate", user("%ED%A0%80"), invalid()],
    ["a broken escape", user("%zz"), invalid()],
    ["201 characters", user("a".repeat(201)), invalid("/user_id")],
    ["10 kB", user("a".repeat(10_000)), { status: 414, code: "URI_TOO_LONG" }],
    ["a query of 10 kB", `${list}?as_of=${"1".repeat(10_000)}`, { status: 414, code: "URI_TOO_LONG" }],
    ["a blank sku", `${list}/%20/history`, invalid("/sku")],
    ["an event that is no UUID", "/ops/outbox/1", invalid("/event_id")],
    ["an event that is nearly a UUID", `/ops/outbox/${eventId}0`, invalid("/event_id")],
    ["an event that does not exist", `/ops/outbox/${eventId}`, notFound],
  ];
  test.each(cases)("%s", async (_, path, refusal) => expectRefusal(await ask(path), refusal));
});

describe("a query that cannot be answered is refused", () => {
  const flipped = () => `${cursor.slice(0, -1)}${cursor.endsWith("A") ? "B" : "A"}`;
  const cases: [name: string, path: () => string, refusal: Refusal][] = [
    ["an unknown parameter", () => `${list}?offset=1`, invalid("/offset")],
    ["a limit of 201", () => `${list}?limit=201`, invalid("/limit")],
    ["a cursor of another kind, for entitlements", () => `${list}?cursor=${cursor}`, invalid()],
    ["__proto__", () => `${list}?__proto__=1`, invalid("/__proto__")],
    ["constructor", () => `${list}?constructor[prototype]=1`, invalid()],
    ["a parameter twice", () => `${history}?limit=1&limit=2`, invalid()],
    ["half a character", () => `${history}?limit=%E3`, invalid()],
    ...badLimits.map(limit => [`limit=${limit}`, () => `${history}?limit=${limit}`, invalid("/limit")] as [string, () => string, Refusal]),
    ["an empty cursor", () => `${history}?cursor=`, invalid()],
    ["a made-up cursor", () => `${history}?cursor=${btoa("2")}`, invalid()],
    ["a tampered cursor", () => `${history}?cursor=${flipped()}`, invalid()],
    ["a cut cursor", () => `${history}?cursor=${cursor.slice(0, -2)}`, invalid()],
    ["a lengthened cursor", () => `${history}?cursor=${cursor}AAAA`, invalid()],
    ["a padded cursor", () => `${history}?cursor=${cursor}%3D`, invalid()],
    ["a cursor of another list", () => `/v1/users/bob/entitlements/item1/history?cursor=${cursor}`, invalid()],
    ["a cursor of another kind of list", () => `/ops/outbox/failed?cursor=${cursor}`, invalid()],
    ["a cursor of 501 characters", () => `${history}?cursor=${"A".repeat(501)}`, invalid("/cursor")],
  ];
  test.each(cases)("%s", async (_, path, refusal) => expectRefusal(await ask(path()), refusal));

  test("the cursor that was given works", async () => {
    expect(JSON.parse((await ask(`${history}?cursor=${cursor}`)).text).history.map((row: { version: number }) => row.version)).toEqual([
      2, 1,
    ]);
  });
});

describe("an as_of that is not a time of the kept past is refused", () => {
  const nextYear = new Date().getUTCFullYear() + 1;
  const cases = [...badTimes, "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", `${nextYear}-01-01T00:00:00Z`, "9999-12-31T23:59:59Z"];
  test.each(cases)("%s", async time => expectRefusal(await ask(`${list}?as_of=${encodeURIComponent(time)}`), invalid()));
});

describe("an operator's request that cannot be done is refused", () => {
  const requeue = `/ops/outbox/${eventId}/requeue`;
  const cases: [name: string, path: string, body: string, refusal: Refusal][] = [
    ["no reason", requeue, "{}", invalid("/reason")],
    ["a blank reason", requeue, '{"reason":" "}', invalid("/reason")],
    ["a reason of 501 characters", requeue, JSON.stringify({ reason: "x".repeat(501) }), invalid("/reason")],
    ["more than a reason", requeue, '{"reason":"r","all":true}', invalid("/all")],
    ["an event that does not exist", requeue, '{"reason":"r"}', notFound],
    ["an event that is no UUID", "/ops/outbox/failed/requeue", '{"reason":"r"}', invalid("/event_id")],
  ];
  test.each(cases)("%s", async (_, path, body, refusal) =>
    expectRefusal(await ask(path, { method: "POST", headers: { "content-type": "application/json" }, body }), refusal),
  );

  test("an event that has not failed", async () => {
    const [event] = await kenri.entitlementSql`select event_id from outbox_events limit 1`;
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"reason":"r"}' };
    expectRefusal(await ask(`/ops/outbox/${event?.event_id}/requeue`, init), { status: 409, code: "NOT_FAILED" });
    const [actions] = await kenri.entitlementSql`select count(*) as rows from operator_actions`;
    expect(actions?.rows).toBe(0);
  });

  test("a key that may only read", async () => {
    const reader = await kenri.newKey("reader", ["ops:read"]);
    const init = {
      method: "POST",
      headers: { authorization: `Bearer ${reader}`, "content-type": "application/json" },
      body: '{"reason":"r"}',
    };
    expectRefusal(await ask(requeue, init), { status: 403, code: "FORBIDDEN" });
  });
});

describe("an unusual but allowed value works", () => {
  const strange = [
    "a/b",
    "a:b",
    "a%b",
    "a?b#c",
    "..a",
    "日本語 ユーザ",
    "🎁".repeat(200),
    "a'; drop table entitlements; --",
    '{"level":"error"}',
    "constructor",
    "__proto__",
  ];
  test.each(strange)("a user called %j", async user => {
    const sku = "🎁".repeat(200);
    expect((await kenri.grant(user, sku)).status).toBe(200);
    const answer = await ask(`/v1/users/${encodeURIComponent(user)}/entitlements`);
    expect(JSON.parse(answer.text)).toMatchObject({ user_id: user, entitlements: [{ stock_keeping_unit: sku, status: "ACTIVE" }] });
    const past = await ask(`/v1/users/${encodeURIComponent(user)}/entitlements/${encodeURIComponent(sku)}/history?limit=200`);
    expect(JSON.parse(past.text).history).toHaveLength(1);
  });

  test("headers that claim another identity are ignored", async () => {
    const headers = {
      "x-user-id": "root",
      "x-client-id": "root",
      "x-forwarded-for": "10.0.0.1",
      "x-forwarded-user": "root",
      forwarded: "for=10.0.0.1",
      cookie: "__proto__=1; session=root",
    };
    expect((await kenri.grant("spoofed", "item1", { headers })).status).toBe(200);
    const [row] = await kenri.entitlementSql`select client_id from entitlement_audit where user_id = 'spoofed'`;
    expect(row?.client_id).toBe("tester");
    const stranger = await fetch(`${kenri.urlOf("entitlement")}${list}`, { headers: { ...headers, "x-user-id": "alice" } });
    expect(stranger.status).toBe(401);
  });

  test("HEAD answers as GET does, without the body", async () => {
    const answer = await ask(list, { method: "HEAD" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });
});
