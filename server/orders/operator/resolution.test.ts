import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { operators } from "../../testing/operators.ts";
import { placeOrders } from "../../testing/order_outcomes.ts";
import { type OrderScene, orderScene } from "../../testing/order_scene.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let it: OrderScene;
let mint: TestMint;
let ask: ReturnType<typeof operators>["ask"];
beforeAll(async () => {
  mint = await testMint();
  it = await orderScene({ ORDERS_ASK_WITHIN: "300ms", GATEWAY_JWKS_URL: mint.jwksUrl });
  await it.kenri.start("orders:api");
  ask = operators(it.kenri, mint, { system: "orders", kind: "orders" } as never).ask;
});
afterAll(async () => {
  await it.close();
  await mint.close();
});

/** An order with an unknown outcome. */
async function doubtful(): Promise<{ id: string; key: string }> {
  const [key] = await placeOrders(it.sql, 1);
  const [row] = await it.sql`
    update outbox_orders set status = 'failed', attempts = 1, outcome_unknown = true, failed_at = now(), last_error_code = 'TIMEOUT',
      next_attempt_at = now() + interval '1 hour' where idempotency_key = ${key!} returning order_id`;
  return { id: row!.order_id, key: key! };
}
const atBroker = (key: string) =>
  fetch(`${it.broker.url}/orders`, {
    method: "POST",
    headers: { "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" }),
  }).then(answer => answer.json() as Promise<{ broker_order_id: string }>);

async function post(role: string, path: string, body: object) {
  const { status, text } = await ask(role, "POST", `/ops/orders/${path}`, body);
  return { status, body: JSON.parse(text) as Record<string, unknown> };
}
const reason = "the client calls";
const askAbout = (id: string, role = "OPERATOR") => post(role, `${id}/ask`, { reason });
const resolve = (id: string, outcome: string, more: object = {}, role = "ADMIN") =>
  post(role, `${id}/resolve`, { outcome, reason, ...more });

const stateOf = async (id: string) =>
  (
    await it.sql`select o.status, o.outcome_unknown, o.next_attempt_at <= now() as is_due, l.status as entry, l.reason_code, l.broker_order_id
      from outbox_orders o join idempo_ledger l using (order_id) where order_id = ${id}`
  )[0];
const recordsOf = async (id: string) => ({
  history: [
    ...(await it.sql`select actor, from_status, to_status, reason from idempo_ledger_history where order_id = ${id} and from_status is not null`),
  ],
  audit: [...(await it.sql`select actor, action, reason, detail from operator_actions where subject = ${id}`)],
  calls: [...(await it.sql`select number, kind, worker, outcome from order_attempts where order_id = ${id}`)],
});

describe("ask", () => {
  test("the broker has executed it: the order is settled at once, in ledger, history, calls and audit", async () => {
    const { id, key } = await doubtful();
    const { broker_order_id } = await atBroker(key);
    expect(await askAbout(id)).toEqual({
      status: 200,
      body: { answer: "executed", status: "succeeded", outcome_unknown: false, broker_order_id },
    });
    expect(await stateOf(id)).toMatchObject({ status: "succeeded", entry: "succeeded", reason_code: null, broker_order_id });
    expect(await recordsOf(id)).toEqual({
      history: [{ actor: "user:operator", from_status: "accepted", to_status: "succeeded", reason }],
      audit: [{ actor: "user:operator", action: "order.ask", reason, detail: { outcome: "succeeded", broker_order_id } }],
      calls: [{ number: 1, kind: "ask", worker: "user:operator", outcome: "succeeded" }],
    });
    expect((await askAbout(id)).body).toMatchObject({ answer: "executed", status: "succeeded" });
    expect((await recordsOf(id)).history).toHaveLength(1);
  });

  test("the broker has rejected it: it is aborted with the broker's reason", async () => {
    const { id, key } = await doubtful();
    await it.broker.setFaults({ reject: 1 });
    await atBroker(key);
    await it.broker.setFaults();
    expect((await askAbout(id)).body).toMatchObject({
      answer: "rejected",
      status: "aborted",
      outcome_unknown: false,
      reason_code: "REJECTED",
    });
    expect(await stateOf(id)).toMatchObject({ status: "aborted", entry: "failed", reason_code: "REJECTED" });
  });

  test("the broker has no such order: it is due at once and stays unknown, so that the sender asks again", async () => {
    const { id } = await doubtful();
    expect((await askAbout(id)).body).toMatchObject({ answer: "unknown_to_broker", status: "failed", outcome_unknown: true });
    expect(await stateOf(id)).toMatchObject({ status: "failed", outcome_unknown: true, is_due: true, entry: "accepted" });
    expect((await recordsOf(id)).audit).toMatchObject([{ action: "order.ask", detail: { broker_says: "unknown_to_broker" } }]);
  });

  test("the broker does not answer, or works on it: nothing changes but the records", async () => {
    const { id, key } = await doubtful();
    await it.broker.setFaults({ delay_ms: 60_000, asks_too: false });
    const working = atBroker(key).catch(() => undefined);
    expect(await answerOf(id, "working")).toMatchObject({ status: "failed", outcome_unknown: true });
    it.broker.pause();
    expect(await answerOf(id, "no_answer")).toMatchObject({ reason_code: "TIMEOUT", outcome_unknown: true });
    it.broker.resume();
    await it.broker.kill();
    await working;
    await it.broker.start();
    expect(await stateOf(id)).toMatchObject({ status: "failed", is_due: false, entry: "accepted" });
    expect((await recordsOf(id)).calls.length).toBeGreaterThanOrEqual(2);
  });

  /** The last of some asks: the broker may not have recorded the order yet. */
  async function answerOf(id: string, wanted: string) {
    for (let n = 0; n < 100; n++) {
      const { body } = await askAbout(id);
      if (body.answer === wanted) {
        if (wanted === "working") await it.sql`update outbox_orders set next_attempt_at = now() + interval '1 hour' where order_id = ${id}`;
        return body;
      }
    }
    throw new Error(`the answer was never ${wanted}`);
  }

  test("an order that a sender holds, and one whose outcome is known, is only asked about", async () => {
    const { id, key } = await doubtful();
    const { broker_order_id } = await atBroker(key);
    await it.sql`update outbox_orders set status = 'sending', claim_token = gen_random_uuid(), lease_until = now() + interval '1 hour' where order_id = ${id}`;
    expect((await askAbout(id)).body).toEqual({ answer: "executed", status: "sending", outcome_unknown: true, broker_order_id });
    await it.sql`update outbox_orders set status = 'pending', outcome_unknown = false, claim_token = null, lease_until = null where order_id = ${id}`;
    expect((await askAbout(id)).body).toMatchObject({ answer: "executed", status: "pending", outcome_unknown: false });
    expect(await stateOf(id)).toMatchObject({ entry: "accepted" });
    expect((await recordsOf(id)).calls.map(call => call.number)).toEqual([1, 2]);
  });

  test("needs an operator, a reason and an order", async () => {
    const { id } = await doubtful();
    expect((await askAbout(id, "VIEWER")).status).toBe(403);
    expect((await post("OPERATOR", `${id}/ask`, {})).status).toBe(400);
    expect((await askAbout(crypto.randomUUID())).status).toBe(404);
    expect((await askAbout("x")).status).toBe(400);
  });
});

describe("resolve by hand", () => {
  test("as succeeded: outbox, ledger, history and audit name it, once", async () => {
    const { id } = await doubtful();
    const settled = { status: 200, body: { order_id: id, status: "succeeded", outcome_unknown: false } };
    expect(await resolve(id, "succeeded", { broker_order_id: "b-7" })).toEqual(settled);
    expect(await resolve(id, "succeeded")).toEqual(settled);
    expect(await stateOf(id)).toMatchObject({ status: "succeeded", entry: "succeeded", broker_order_id: "b-7" });
    expect(await recordsOf(id)).toEqual({
      history: [{ actor: "user:admin", from_status: "accepted", to_status: "succeeded", reason }],
      audit: [{ actor: "user:admin", action: "order.resolve", reason, detail: { outcome: "succeeded", broker_order_id: "b-7" } }],
      calls: [],
    });
    expect(await resolve(id, "failed")).toMatchObject({ status: 409, body: { code: "OUTCOME_KNOWN" } });
  });

  test("as failed: aborted with its own code; a requeue asks the broker before anything is sent", async () => {
    const { id, key } = await doubtful();
    expect((await resolve(id, "failed")).body).toEqual({ order_id: id, status: "aborted", outcome_unknown: false });
    expect(await stateOf(id)).toMatchObject({ status: "aborted", entry: "failed", reason_code: "RESOLVED_FAILED" });
    const { broker_order_id } = await atBroker(key);
    expect((await post("OPERATOR", `${id}/requeue`, { reason })).status).toBe(200);
    expect(await stateOf(id)).toMatchObject({ status: "pending", outcome_unknown: true, entry: "accepted" });
    expect((await askAbout(id)).body).toMatchObject({ answer: "executed", status: "succeeded", broker_order_id });
  });

  test("is refused while a sender holds the order, for a known outcome, and for anybody but an ADMIN", async () => {
    const { id } = await doubtful();
    for (const role of ["VIEWER", "OPERATOR"]) expect((await resolve(id, "succeeded", {}, role)).status).toBe(403);
    expect((await resolve(id, "failed", { broker_order_id: "b-7" })).body).toMatchObject({ errors: [{ pointer: "/broker_order_id" }] });
    expect((await resolve(id, "maybe")).status).toBe(400);
    expect((await resolve(crypto.randomUUID(), "failed")).status).toBe(404);
    await it.sql`update outbox_orders set status = 'sending', claim_token = gen_random_uuid(), lease_until = now() + interval '1 hour' where order_id = ${id}`;
    expect(await resolve(id, "failed")).toMatchObject({ status: 409, body: { code: "SENDING" } });
    await it.sql`update outbox_orders set status = 'pending', outcome_unknown = false, claim_token = null, lease_until = null where order_id = ${id}`;
    expect(await resolve(id, "failed")).toMatchObject({ status: 409, body: { code: "OUTCOME_KNOWN" } });
    expect((await recordsOf(id)).audit).toEqual([]);
  });

  test("ten at once settle it once", async () => {
    const { id } = await doubtful();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => resolve(id, n % 2 ? "succeeded" : "failed")));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect((await recordsOf(id)).history).toHaveLength(1);
    expect((await recordsOf(id)).audit).toHaveLength(1);
  });
});

test("unknown outcomes are listed oldest first, page by page", async () => {
  await it.sql`update outbox_orders set outcome_unknown = false`;
  const ids = [await doubtful(), await doubtful(), await doubtful()].map(({ id }) => id);
  const page = async (path: string) => JSON.parse((await ask("VIEWER", "GET", `/ops/orders/unknown${path}`)).text);
  const first = await page("?limit=2");
  expect(first.orders.map((row: { order_id: string }) => row.order_id)).toEqual(ids.slice(0, 2));
  expect(first.orders[0]).toMatchObject({ symbol: "ACME", status: "failed", outcome_unknown: true, last_error_code: "TIMEOUT" });
  const second = await page(`?limit=2&cursor=${first.next_cursor}`);
  expect(second.orders.map((row: { order_id: string }) => row.order_id)).toEqual(ids.slice(2));
  expect(second.next_cursor).toBeUndefined();
});

test("orders that need attention are counted: aborted ones that nobody cancelled or settled and that did not expire, and unknown outcomes", async () => {
  await it.sql`update outbox_orders set outcome_unknown = false`;
  await it.sql`delete from outbox_orders where status = 'aborted'`;
  for (const code of ["REJECTED", "CANCELLED", "EXPIRED", "RESOLVED_FAILED"]) {
    const { id } = await doubtful();
    await it.sql`update outbox_orders set status = 'aborted', outcome_unknown = false, settled_at = now(), last_error_code = ${code} where order_id = ${id}`;
  }
  for (let n = 0; n < 2; n++) await doubtful();
  const { text } = await ask("VIEWER", "GET", "/ops/orders/attention");
  expect(JSON.parse(text)).toEqual({ count: 1, more: false, unknown: { count: 2, more: false } });
});

test("the invariants see a disagreement of ledger and outbox, an entry without an order, and a change that was not recorded", async () => {
  const states = async () => {
    const { invariants } = JSON.parse((await ask("VIEWER", "GET", "/ops/consistency")).text) as {
      invariants: { name: string; state: string }[];
    };
    return Object.fromEntries(invariants.map(({ name, state }) => [name, state]));
  };
  await it.sql`delete from outbox_orders`;
  await it.sql`delete from idempo_ledger`;
  const good = {
    leases_run_out: "ok",
    unknown_outcomes: "ok",
    ledger_and_outbox_agree: "ok",
    accepted_without_order: "ok",
    ledger_history_complete: "ok",
  };
  expect(await states()).toEqual(good);
  const { id } = await doubtful();
  expect(await states()).toEqual({ ...good, unknown_outcomes: "watch" });
  await it.sql`update outbox_orders set unknown_since = now() - interval '1 day' where order_id = ${id}`;
  expect(await states()).toEqual({ ...good, unknown_outcomes: "broken" });
  await it.sql`update idempo_ledger set status = 'succeeded', settled_at = now() where order_id = ${id}`;
  expect(await states()).toMatchObject({
    ledger_and_outbox_agree: "broken",
    ledger_history_complete: "broken",
    accepted_without_order: "ok",
  });
  await it.sql`delete from outbox_orders`;
  await it.sql`update idempo_ledger set status = 'accepted', settled_at = null where order_id = ${id}`;
  expect(await states()).toEqual({ ...good, accepted_without_order: "broken" });
});
