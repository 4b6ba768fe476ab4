import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { anyOrder, insertOrder } from "../../testing/order_rows.ts";
import type { TestProcess } from "../../testing/process.ts";
import type { Entry } from "./entry.ts";
import { digestOf, normalForm } from "./order_request.ts";

let kenri: TestKenri;
let server: TestProcess;
let bases: readonly [string, string];
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  server = await kenri.start("orders:api");
  const first = kenri.urlOf("orders");
  await kenri.start("orders:api");
  bases = [first, kenri.urlOf("orders")];
});
afterAll(() => kenri.close());

interface Sent {
  readonly status: number;
  readonly body: Entry & { readonly code?: string };
}

async function place(key: string, order: object | string = anyOrder, { base = bases[0], as = kenri.key } = {}): Promise<Sent> {
  const headers = { authorization: `Bearer ${as}`, "content-type": "application/json", "idempotency-key": key };
  const response = await fetch(`${base}/do/order`, {
    method: "POST",
    headers,
    body: typeof order === "string" ? order : JSON.stringify(order),
  });
  return { status: response.status, body: (await response.json()) as Sent["body"] };
}

const read = async (key: string, as = kenri.key): Promise<Sent> => {
  const response = await fetch(`${bases[0]}/do/order/${encodeURIComponent(key)}`, { headers: { authorization: `Bearer ${as}` } });
  return { status: response.status, body: (await response.json()) as Sent["body"] };
};

/** How many rows a key has in each table. */
async function stored(key: string) {
  const { sql } = kenri.store("orders");
  const [rows] = await sql`select (select count(*) from idempo_ledger where idempotency_key = ${key}) as ledger,
    (select count(*) from outbox_orders where idempotency_key = ${key}) as outbox,
    (select count(*) from idempo_ledger_history h join idempo_ledger using (order_id) where idempotency_key = ${key}) as history`;
  return { ...rows };
}

describe("an order", () => {
  const order = { symbol: "ACME", side: "SELL", quantity: "10", order_type: "LIMIT", limit_price: "99.5", client_tag: "t-1" };

  test("is accepted with 202 and its ledger entry; ledger, history and outbox have it", async () => {
    const { status, body } = await place("first", order);
    expect(status).toBe(202);
    expect(body).toEqual({
      idempotency_key: "first",
      order_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: "accepted",
      order,
      request_digest: digestOf(order),
      accepted_at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
      attempts: 0,
      outcome_unknown: false,
      outbox_status: "pending",
    });
    expect(await stored("tester:first")).toEqual({ ledger: 1, outbox: 1, history: 1 });
    const { sql } = kenri.store("orders");
    const [row] =
      await sql`select o.status, o.attempts, o.client_id, o.order_request_json, o.request_digest, o.queued_at = o.next_attempt_at as due,
      h.actor, h.from_status, h.to_status from outbox_orders o join idempo_ledger_history h using (order_id) where idempotency_key = 'tester:first'`;
    expect(row).toEqual({
      status: "pending",
      attempts: 0,
      client_id: "tester",
      order_request_json: order,
      request_digest: digestOf(order),
      due: true,
      actor: "tester",
      from_status: null,
      to_status: "accepted",
    });
  });

  test("is answered 200 with the same entry when it comes again, also in another notation and in another process", async () => {
    const first = (await read("first")).body;
    const notations = [
      JSON.stringify(order),
      JSON.stringify(Object.fromEntries(Object.entries(order).reverse())),
      JSON.stringify({ ...order, quantity: "10.000", limit_price: "99.50" }),
      ` {\n"symbol":"\\u0041CME","side":"SELL","quantity":"10.0","order_type":"LIMIT","limit_price":"99.5000000000","client_tag":"t-1"}`,
    ];
    for (const base of bases)
      for (const notation of notations) expect(await place("first", notation, { base })).toEqual({ status: 200, body: first });
    expect(await place('"first"', order)).toEqual({ status: 200, body: first });
    expect(await stored("tester:first")).toEqual({ ledger: 1, outbox: 1, history: 1 });
  });

  test("of another content is a conflict, whatever differs, and changes nothing", async () => {
    const before = await read("first");
    const { client_tag: _, ...untagged } = order;
    const others = [
      { ...order, symbol: "ACME2" },
      { ...order, side: "BUY" },
      { ...order, quantity: "10.01" },
      { ...order, limit_price: "99.4" },
      { ...order, client_tag: "t-2" },
      { ...order, expires_at: new Date(Date.now() + 60_000).toISOString() },
      { ...order, expires_at: "2020-01-01T00:00:00Z" },
      untagged,
    ];
    for (const other of others)
      expect(await place("first", other)).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_KEY_CONFLICT" } });
    expect(await read("first")).toEqual(before);
  });

  test("is counted and logged once, with the fields of the order", async () => {
    const before = await kenri.metric("orders", "kenri_outbox_enqueued_total");
    for (let n = 0; n < 3; n++) await place("counted", anyOrder, { base: bases[1] });
    await place("logged");
    await place("logged");
    expect((await kenri.metric("orders", "kenri_outbox_enqueued_total")) - before).toBe(1);
    await server.logged("tester:logged");
    const lines = server.lines.filter(line => line.includes("order.accepted") && line.includes("tester:logged"));
    expect(lines.map(line => JSON.parse(line))).toEqual([
      expect.objectContaining({ idempotency_key: "tester:logged", status: "pending", attempts: 0, adapter: "paper" }),
    ]);
  });

  test("that expires is stored with its time in UTC", async () => {
    const inAnHour = Date.now() + 3_600_000;
    const utc = new Date(inAnHour).toISOString().slice(0, 19);
    const japan = `${new Date(inAnHour + 9 * 3_600_000).toISOString().slice(0, 19)}.5+09:00`;
    const placed = await place("expiring", { ...anyOrder, expires_at: japan });
    expect(placed).toMatchObject({ status: 202, body: { order: { expires_at: `${utc}.500000Z` } } });
    expect(await place("expiring", { ...anyOrder, expires_at: `${utc}.50Z` })).toMatchObject({ status: 200 });
    const [row] = await kenri.store("orders")
      .sql`select iso(expires_at) as at from outbox_orders where idempotency_key = 'tester:expiring'`;
    expect(row?.at).toBe(`${utc}.500000Z`);
  });

  test("that has expired since is still answered with its entry", async () => {
    const order = { ...anyOrder, expires_at: "2026-01-01T00:00:00Z" };
    await insertOrder(kenri.store("orders").sql, { key: "expired", order, status: "aborted", code: "EXPIRED", message: "too late" });
    expect(await place("expired", order)).toMatchObject({ status: 200, body: { status: "failed", reason_code: "EXPIRED" } });
  });
});

describe("50 parallel identical first requests", () => {
  test.each([1, 2])("to %d processes: one 202, 49 times 200 with the same entry, one ledger row", async processes => {
    const key = `fifty-${processes}`;
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => place(key, anyOrder, { base: bases[n % processes]! })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(49).fill(200), 202]);
    expect(new Set(answers.map(({ body }) => body.order_id)).size).toBe(1);
    for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
    expect(await stored(`tester:${key}`)).toEqual({ ledger: 1, outbox: 1, history: 1 });
  });

  test("with different content: one 202, 49 conflicts", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => place("rivals", { ...anyOrder, quantity: `${n + 1}` }, { base: bases[n % 2]! })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, ...Array(49).fill(409)]);
    expect(await stored("tester:rivals")).toEqual({ ledger: 1, outbox: 1, history: 1 });
  });
});

describe("a request again after the order was settled", () => {
  const answer = { broker_order_id: "P-7", state: "filled", price: "100", quantity: "1", executed_at: "2026-11-17T09:00:00Z" };
  test.each([
    [
      "the broker's answer",
      { status: "succeeded", attempts: 2, brokerOrderId: "P-7", brokerAnswer: answer },
      { status: "succeeded", broker_order_id: "P-7", broker_answer: answer },
    ],
    [
      "the reason",
      { status: "aborted", attempts: 6, code: "UNAVAILABLE", message: "the broker is away" },
      { status: "failed", attempts: 6, reason_code: "UNAVAILABLE", reason: "the broker is away", outbox_status: "aborted" },
    ],
    [
      "the broker's answer, without the outbox row that was cleaned up",
      { status: "succeeded", attempts: 1, brokerOrderId: "P-8", inOutbox: false },
      { status: "succeeded", attempts: 1, broker_order_id: "P-8", outcome_unknown: false },
    ],
    [
      "an unknown outcome as accepted",
      { status: "failed", attempts: 1, outcomeUnknown: true, code: "TIMEOUT" },
      { status: "accepted", outbox_status: "failed", outcome_unknown: true },
    ],
  ] as const)("shows %s", async (name, row, shown) => {
    await insertOrder(kenri.store("orders").sql, { key: name.replaceAll(" ", "-"), ...row });
    const { status, body } = await place(name.replaceAll(" ", "-"));
    expect({ status, body }).toMatchObject({ status: 200, body: shown });
    expect("settled_at" in body).toBe(body.status !== "accepted");
    expect("outbox_status" in body).toBe(!("inOutbox" in row));
    expect((await read(body.idempotency_key)).body).toEqual(body);
  });
});

describe("a key belongs to its client", () => {
  test("another client's key is another order, and invisible", async () => {
    const other = await kenri.newKey("rival", ["orders:read", "orders:write"]);
    await place("mine");
    expect(await read("mine", other)).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    expect((await read("tester:mine", other)).status).toBe(404);
    const theirs = await place("mine", { ...anyOrder, quantity: "2" }, { as: other });
    expect(theirs.status).toBe(202);
    expect((await read("mine")).body.order.quantity).toBe("1");
    expect((await read("mine", other)).body.order_id).toBe(theirs.body.order_id);
  });

  test("a client whose name has a colon does not reach another client's order", async () => {
    const tricky = await kenri.newKey("tester:a", ["orders:read", "orders:write"]);
    await place("a:b");
    expect((await read("b", tricky)).status).toBe(404);
    expect((await place("b", anyOrder, { as: tricky })).status).toBe(202);
    expect(await stored("tester%3Aa:b")).toEqual({ ledger: 1, outbox: 1, history: 1 });
  });

  test("two API keys of a client are one client", async () => {
    const rotated = await kenri.newKey("tester", ["orders:read", "orders:write"]);
    await place("rotated");
    expect((await place("rotated", anyOrder, { as: rotated })).status).toBe(200);
  });
});

describe("a key with unusual characters is read, waited for and cancelled by its path", () => {
  const keys = [
    "a/b",
    "a:c",
    "a%b",
    "a%2Fb",
    "%2e%2e",
    "a?b=c#d",
    "../a",
    "a/../b",
    "..a",
    "...",
    "a:cancel",
    ":cancel",
    "wait",
    "a/wait",
    "~cancel",
    "a+b&c",
    "a\\b",
    '"quoted',
    "{}[]|^`<>",
    "'; drop table idempo_ledger; --".replaceAll(" ", "_"),
    "x".repeat(255),
    "%".repeat(255),
  ];
  test.each(keys)("%j", async key => {
    const path = `${bases[0]}/do/order/${encodeURIComponent(key)}`;
    const headers = { authorization: `Bearer ${kenri.key}` };
    const { status, body } = await place(key);
    expect([status, body.idempotency_key]).toEqual([202, key]);
    expect((await read(key)).body).toEqual(body);
    const cancelled = await fetch(`${path}:cancel`, { method: "POST", headers });
    expect([cancelled.status, await cancelled.json()]).toMatchObject([200, { idempotency_key: key, reason_code: "CANCELLED" }]);
    expect(await (await fetch(`${path}/wait?timeout=1`, { headers })).json()).toMatchObject({ idempotency_key: key, status: "failed" });
  });

  test.each([".", ".."])("%j is refused: no URL leads to it", async key => {
    expect(await place(key)).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
    expect(await stored(`tester:${key}`)).toEqual({ ledger: 0, outbox: 0, history: 0 });
  });
});

test("two notations of an order have one normal form and one digest", () => {
  const normal = normalForm({ ...anyOrder, quantity: "1.50", expires_at: "2026-12-31T23:59:59.5-01:00" });
  expect(normal).toEqual({ ...anyOrder, quantity: "1.5", expires_at: "2027-01-01T00:59:59.500000Z" });
  expect(Object.keys(normal)).toEqual(["symbol", "side", "quantity", "order_type", "expires_at"]);
  for (const [given, short] of [
    ["1.0", "1"],
    ["100", "100"],
    ["0.10", "0.1"],
    ["10.00100", "10.001"],
    ["0.0000000001", "0.0000000001"],
  ] as const)
    expect(normalForm({ ...anyOrder, quantity: given }).quantity).toBe(short);
  expect(digestOf(anyOrder)).toBe(new Bun.CryptoHasher("sha256").update(JSON.stringify(anyOrder)).digest("hex"));
});

test("the API description has examples and the scopes", async () => {
  const { paths } = (await (await fetch(`${bases[0]}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { description: string; responses: object }>>;
  };
  const described = [
    "/do/order",
    "/do/order/{idempotency_key}",
    "/do/order/{idempotency_key}/wait",
    "/do/order/{idempotency_key}:cancel",
    "/do/orders",
  ];
  for (const path of described) {
    const [operation] = Object.values(paths[path] ?? {});
    expect(operation?.description).toMatch(/Scope: orders:(read|write)\.$/);
    expect(JSON.stringify(operation?.responses)).toContain('"order_id":"01a1e8ef');
  }
  expect(JSON.stringify(paths["/do/order"]?.post)).toContain('"IDEMPOTENCY_KEY_CONFLICT"');
});

test("nothing above was an unexpected error", async () => {
  await until("the log is read", 5000, () => server.lines.length > 0);
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
});
