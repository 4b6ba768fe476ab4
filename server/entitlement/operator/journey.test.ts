import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { quoted } from "../../testing/rows.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement:api", { OUTBOX_FIRST_ATTEMPT: "relay" });
});
afterAll(() => kenri.close());

interface Journey {
  readonly matched_by: string | null;
  readonly events: {
    readonly event_id: string;
    readonly status: string | null;
    readonly user_id: string;
    readonly audit: Record<string, unknown> | null;
    readonly idempotency: Record<string, unknown> | null;
    readonly actions: Record<string, unknown>[];
  }[];
}

const journey = async (id: string): Promise<Journey> => {
  const response = await kenri.call("entitlement", `/ops/journey/${encodeURIComponent(id)}`);
  expect({ id, status: response.status }).toEqual({ id, status: 200 });
  return response.json() as Promise<Journey>;
};
const traceId = () => crypto.randomUUID().replaceAll("-", "");
const traced = (trace: string) => ({ traceparent: `00-${trace}-00000000000000aa-01` });
const eventOf = async (user: string) =>
  (await kenri.entitlementSql`select event_id from entitlement_audit where user_id = ${user} order by event_id desc limit 1`)[0]
    ?.event_id as string;
const nothing: Journey = { matched_by: null, events: [] };

describe("one id leads to the journey of its event", () => {
  const trace = traceId();
  const key = "order/17?#'\"%";
  const purchase = "購入 <b>42</b> %🎁";
  let id: string;
  beforeAll(async () => {
    expect((await kenri.grant("alice", "item1", { key, purchase, reason: "gift", headers: traced(trace) })).status).toBe(200);
    id = await eventOf("alice");
  });

  test.each([
    ["event_id", () => id],
    ["event_id", () => id.toUpperCase()],
    ["trace_id", () => trace],
    ["idempotency_key", () => key],
    ["purchase_id", () => purchase],
  ])("%s", async (matched_by, given) => {
    expect(await journey(given())).toMatchObject({
      matched_by,
      events: [
        {
          event_id: id,
          event_type: "EntitlementGranted",
          user_id: "alice",
          stock_keeping_unit: "item1",
          aggregate_version: 1,
          status: "PENDING",
          trace_id: trace,
          audit: { client_id: "tester", status: "ACTIVE", version: 1, detail: { reason: "gift", purchase_id: purchase } },
          idempotency: { client_id: "tester", route: expect.stringContaining("grants"), idem_key: key, response_code: 200 },
          actions: [],
        },
      ],
    });
  });

  test.each([
    ["an unknown event", () => crypto.randomUUID()],
    ["an unknown trace", traceId],
    ["a part of a key", () => "order/17"],
    ["a key in other letters", () => key.toUpperCase()],
    ["SQL", () => "' or 1=1 --"],
    ["255 characters", () => "x".repeat(255)],
  ])("%s leads nowhere", async (_, given) => expect(await journey(given())).toEqual(nothing));
});

test("a UUID that is no event may still be a key or a purchase", async () => {
  const [key, purchase] = [crypto.randomUUID(), traceId()];
  await kenri.grant("bob", "item1", { key, purchase });
  expect(await journey(key)).toMatchObject({ matched_by: "idempotency_key", events: [{ user_id: "bob" }] });
  expect(await journey(purchase)).toMatchObject({ matched_by: "purchase_id", events: [{ user_id: "bob" }] });
});

test("a key that two clients use leads to both, and one whose change was refused to none", async () => {
  const other = await kenri.newKey("other shop", ["entitlements:write"]);
  await kenri.grant("carol", "item1", { key: "shared" });
  await kenri.grant("dave", "item1", { key: "shared", headers: { authorization: `Bearer ${other}` } });
  const { events } = await journey("shared");
  expect(events.map(event => [event.user_id, event.idempotency?.client_id])).toEqual([
    ["dave", "other shop"],
    ["carol", "tester"],
  ]);
  expect((await kenri.grant("carol", "item1", { key: "refused" })).status).toBe(409);
  expect(await journey("refused")).toEqual(nothing);
});

test("of many events the newest twenty are shown, newest first", async () => {
  const trace = traceId();
  for (let n = 0; n < 23; n++) await kenri.grant(`user-${n}`, "item1", { purchase: "bundle", headers: traced(trace) });
  const newest = Array.from({ length: 20 }, (_, n) => `user-${22 - n}`);
  for (const id of [trace, "bundle"]) expect((await journey(id)).events.map(event => event.user_id)).toEqual(newest);
});

test("what people did to the event is shown with it", async () => {
  await kenri.grant("erin", "item1");
  const id = await eventOf("erin");
  await kenri.entitlementSql`update outbox_events set status = 'FAILED', last_error = 'e' where event_id = ${id}`;
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"reason": "well again"}' };
  expect((await kenri.call("entitlement", `/ops/outbox/${id}/requeue`, init)).status).toBe(200);
  expect((await journey(id)).events[0]?.actions).toMatchObject([
    { actor: "tester", action: "outbox.requeue", subject: id, reason: "well again" },
  ]);
});

test("an event that has left the outbox is made from its audit, and one without an audit from the outbox", async () => {
  await kenri.revoke("frank", "item1", { key: "frank-key" });
  const id = await eventOf("frank");
  await kenri.entitlementSql`delete from outbox_events where event_id = ${id}`;
  expect(await journey("frank-key")).toMatchObject({
    matched_by: "idempotency_key",
    events: [
      {
        event_id: id,
        event_type: "EntitlementRevoked",
        user_id: "frank",
        status: null,
        payload: null,
        idempotency: { idem_key: "frank-key" },
      },
    ],
  });
  await outboxEvents.put(kenri.entitlementSql, { event_id: quoted(id), user_id: "'frank'", stock_keeping_unit: "'item1'" });
  await kenri.entitlementSql`delete from entitlement_audit where event_id = ${id}`;
  expect(await journey(id)).toMatchObject({
    matched_by: "event_id",
    events: [{ user_id: "frank", status: "PENDING", audit: null, idempotency: null }],
  });
});

test("an expired key that was used again does not belong to the first change", async () => {
  await kenri.grant("gina", "item1", { key: "again" });
  const first = await eventOf("gina");
  await kenri.entitlementSql`update idempotency_keys set expires_at = now() - interval '1 second' where idem_key = 'again'`;
  await kenri.grant("gina", "item2", { key: "again" });
  const second = await eventOf("gina");
  expect((await journey(first)).events[0]?.idempotency).toBeNull();
  expect(await journey("again")).toMatchObject({ events: [{ event_id: second, idempotency: { idem_key: "again" } }] });
});

test("the history that a user may read has no idempotency keys", async () => {
  await kenri.grant("hana", "item1", { key: "secret-of-the-shop" });
  const history = await (await kenri.call("entitlement", "/v1/users/hana/entitlements/item1/history")).text();
  expect(JSON.parse(history).history).toMatchObject([{ reason: "purchase", purchase_id: "p_1", trace_id: expect.any(String) }]);
  expect(history).not.toContain("secret-of-the-shop");
});
