import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  badBodies,
  badCallers,
  badHeaders,
  badLimits,
  badPathTexts,
  badTexts,
  badTimes,
  type CallerKeys,
  invalid,
} from "../../testing/bad_requests.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { TestProcess } from "../../testing/process.ts";
import { sendRaw } from "../../testing/raw_http.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let server: TestProcess;
let keys: CallerKeys;
let cursor: string;
type Body = NonNullable<RequestInit["body"]>;
beforeAll(async () => {
  kenri = await testKenri({ BROKER_URL: "http://127.0.0.1:9" });
  server = await kenri.start("orders:api");
  keys = {
    good: kenri.key,
    expired: await kenri.newKey("late", ["orders:write"], -1),
    unscoped: await kenri.newKey("reader", ["orders:read"]),
  };
  const others = await kenri.newKey("lister", ["orders:read", "orders:write"]);
  const as = { authorization: `Bearer ${others}` };
  for (const key of ["one", "two"]) await post(JSON.stringify(good), { ...as, "idempotency-key": key });
  cursor = JSON.parse((await ask("/do/orders?limit=1", { headers: as })).text).next_cursor;
});
afterAll(() => kenri.close());

const good = { symbol: "ACME", side: "BUY", quantity: "1.5", order_type: "LIMIT", limit_price: "10", client_tag: "tag" };
const market = { symbol: "ACME", side: "BUY", quantity: "1.5", order_type: "MARKET" };
const notFound: Refusal = { status: 404, code: "NOT_FOUND" };

// Every case has an Idempotency-Key of its own, which must still be unused afterwards.
const used: string[] = [];
const nextKey = () => {
  used.push(`key-${used.length}`);
  return used.at(-1)!;
};

async function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${kenri.key}`, ...init.headers };
  const response = await fetch(`${kenri.urlOf("orders")}${path}`, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const post = (body: Body, headers: Record<string, string> = {}, path = "/do/order") =>
  ask(path, { method: "POST", body, headers: { "content-type": "application/json", "idempotency-key": nextKey(), ...headers } });

/** A good order with the JSON of one field replaced; without JSON the field is missing. */
const replacing = (field: string, json: string, order: Record<string, string> = good) => {
  const members = Object.entries({ ...order, [field]: "" }).map(([name, value]) => [name, name === field ? json : JSON.stringify(value)]);
  return `{${members.flatMap(([name, value]) => (value ? [`"${name}":${value}`] : [])).join(",")}}`;
};

describe("a body that cannot be taken is refused", () => {
  test.each(badBodies(good))("%s", async (_, body, refusal) => expectRefusal(await post(body), refusal, [kenri.key]));
});

describe("a field that is not what it should be is refused, and named", () => {
  const fields = [...Object.keys(good), "expires_at"];
  const cases = fields.flatMap(field => badTexts.map(([name, json]) => [field, name, json] as const));
  test.each(cases)("%s: %s", async (field, _, json) => expectRefusal(await post(replacing(field, json)), invalid(`/${field}`)));

  test.each(["symbol", "side", "quantity", "order_type"])("%s: missing", async field =>
    expectRefusal(await post(replacing(field, "")), invalid(`/${field}`)),
  );

  const amounts = [
    "0",
    "0.0",
    "0.0000000000",
    "-1",
    "-0",
    "+1",
    "01",
    "00.1",
    ".5",
    "5.",
    "1e5",
    "1E400",
    "NaN",
    "Infinity",
    "-Infinity",
    "1,5",
    "1_000",
    "0x10",
    "1.5 ",
    "1 5",
    "1.5\n",
    "١",
    "１",
    "1.2.3",
    "1.12345678901",
    `0.${"1".repeat(30)}`,
    "1234567890123456789",
    "9".repeat(400),
  ];
  const texts = ["quantity", "limit_price"].flatMap(field => amounts.map(value => [field, JSON.stringify(value)] as const));
  const numbers = ["quantity", "limit_price"].flatMap(field =>
    ["0.1", "1", "-1", "0", "1e400", "-1e400", "9007199254740993"].map(json => [field, json] as const),
  );
  test.each([...texts, ...numbers])("%s: %s", async (field, json) =>
    expectRefusal(await post(replacing(field, json)), invalid(`/${field}`)),
  );
  test("and a number is told from a decimal string", async () => {
    const { text } = await post(replacing("quantity", "0.1"));
    expect(JSON.parse(text).errors).toEqual([
      { pointer: "/quantity", detail: expect.stringContaining("must be a decimal string above 0, not a number") },
    ]);
  });

  test.each(["buy", "HOLD", "BUY ", "B"])("side: %j", async side =>
    expectRefusal(await post(replacing("side", JSON.stringify(side))), invalid("/side")),
  );
  test.each(["limit", "STOP", "MARKET,LIMIT"])("order_type: %j", async type =>
    expectRefusal(await post(replacing("order_type", JSON.stringify(type))), invalid("/order_type")),
  );
  test.each(["acme", "A B", "A/B", "A:B", "Ä", "A".repeat(33)])("symbol: %j", async symbol =>
    expectRefusal(await post(replacing("symbol", JSON.stringify(symbol))), invalid("/symbol")),
  );
  test.each([...badPathTexts, "x".repeat(65)])("client_tag: %j", async tag =>
    expectRefusal(await post(replacing("client_tag", JSON.stringify(tag))), invalid("/client_tag")),
  );

  test("limit_price: missing in a LIMIT order, present in a MARKET order", async () => {
    expectRefusal(await post(replacing("limit_price", "")), invalid("/limit_price"));
    expectRefusal(await post(replacing("limit_price", '"10"', market)), invalid("/limit_price"));
  });

  const ahead = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const times: [name: string, time: () => string][] = [
    ...badTimes.map(time => [time, () => time] as [string, () => string]),
    ["a second ago", () => ahead(-1000)],
    ["2020", () => "2020-01-01T00:00:00Z"],
    ["the year 1", () => "0001-01-01T00:00:00+14:00"],
    ["the year 1999", () => "1999-12-31T23:59:59Z"],
    ["in 90 days and a minute", () => ahead(90 * 86_400_000 + 60_000)],
    ["the year 9999", () => "9999-12-31T23:59:59-14:00"],
  ];
  test.each(times)("expires_at: %s", async (_, time) =>
    expectRefusal(await post(replacing("expires_at", JSON.stringify(time()))), invalid("/expires_at")),
  );
});

describe("a header that cannot be taken is refused", () => {
  test.each(badHeaders)("%s", async (_, headers, refusal) => expectRefusal(await post(JSON.stringify(good), headers), refusal));

  test("two keys", async () => {
    const body = JSON.stringify(good);
    const head = ["POST /do/order HTTP/1.1", "Host: kenri", `Authorization: Bearer ${kenri.key}`, "Content-Type: application/json"];
    const lines = [...head, "Idempotency-Key: a", "Idempotency-Key: a", `Content-Length: ${body.length}`];
    const answer = await sendRaw(kenri.urlOf("orders"), `${lines.join("\r\n")}\r\n\r\n${body}`);
    if (answer === "closed") throw new Error("the server hung up");
    expectRefusal(answer, invalid());
  });
});

describe("a caller without permission is refused before the body is read", () => {
  test.each(badCallers)("%s", async (_, authorization, refusal) => {
    for (const body of [JSON.stringify(good), "{"])
      expectRefusal(await post(body, { authorization: authorization(keys) }), refusal, [keys.good, keys.unscoped]);
    const headers = { authorization: authorization(keys) };
    expectRefusal(await ask("/do/order/one:cancel", { method: "POST", headers }), refusal, [keys.good, keys.unscoped]);
  });

  test.each(["/do/order/one", "/do/order/one/wait", "/do/orders"])("GET %s", async path => {
    const writer = await kenri.newKey("writer", ["orders:write"]);
    expectRefusal(await ask(path, { headers: { authorization: `Bearer ${writer}` } }), { status: 403, code: "FORBIDDEN" });
    expectRefusal(await ask(path, { headers: { authorization: "" } }), { status: 401, code: "UNAUTHORIZED" });
  });
});

describe("a path or query that cannot be taken is refused", () => {
  const key = "/idempotency_key";
  const cases: [name: string, path: () => string, refusal: Refusal][] = [
    ["a key nobody used", () => "/do/order/nothing", notFound],
    ["an empty key", () => "/do/order/", { status: 405, code: "METHOD_NOT_ALLOWED" }],
    ["a key of 256 characters", () => `/do/order/${"k".repeat(256)}`, invalid(key)],
    ["a key with a space", () => "/do/order/a%20b", invalid(key)],
    ["a key beyond ASCII", () => "/do/order/cl%C3%A9", invalid(key)],
    ["a key with U+0000", () => "/do/order/a%00", invalid(key)],
    ["a broken escape", () => "/do/order/%zz", invalid()],
    ["half a character", () => "/do/order/%E3%81", invalid()],
    ["a URL of 10 kB", () => `/do/order/${"k".repeat(10_000)}`, { status: 414, code: "URI_TOO_LONG" }],
    ["a wait for nothing", () => "/do/order/nothing/wait", notFound],
    ...["0", "31", "-1", "1.5", "20s", "", "NaN", "1e1", "%2020"].map(
      timeout =>
        [`timeout=${timeout}`, () => `/do/order/one/wait?timeout=${timeout}`, invalid("/timeout")] as [string, () => string, Refusal],
    ),
    ["an unknown parameter", () => "/do/order/one/wait?forever=true", invalid("/forever")],
    ...badLimits.map(limit => [`limit=${limit}`, () => `/do/orders?limit=${limit}`, invalid("/limit")] as [string, () => string, Refusal]),
    ...badTimes.map(
      time =>
        [`accepted_from=${time}`, () => `/do/orders?accepted_from=${encodeURIComponent(time)}`, invalid("/accepted_from")] as [
          string,
          () => string,
          Refusal,
        ],
    ),
    ["an accepted_to that is no time", () => "/do/orders?accepted_to=now", invalid("/accepted_to")],
    ["an unknown status", () => "/do/orders?status=pending", invalid("/status")],
    ["an empty status", () => "/do/orders?status=", invalid("/status")],
    ["a status twice", () => "/do/orders?status=failed&status=accepted", invalid()],
    ["an unknown filter", () => "/do/orders?client_id=lister", invalid("/client_id")],
    ["a made-up cursor", () => `/do/orders?cursor=${btoa("2")}`, invalid()],
    ["a cut cursor", () => `/do/orders?cursor=${cursor.slice(0, -2)}`, invalid()],
    ["another client's cursor", () => `/do/orders?cursor=${cursor}`, invalid()],
  ];
  test.each(cases)("%s", async (_, path, refusal) => expectRefusal(await ask(path()), refusal));

  test("a cursor of another filter", async () => {
    const as = { authorization: `Bearer ${await kenri.newKey("lister", ["orders:read"])}` };
    expect((await ask(`/do/orders?cursor=${cursor}`, { headers: as })).status).toBe(200);
    expectRefusal(await ask(`/do/orders?status=accepted&cursor=${cursor}`, { headers: as }), invalid());
  });

  test.each([
    ["GET", "/do/order", "POST"],
    ["PUT", "/do/order", "POST"],
    ["DELETE", "/do/order/one", "GET, HEAD"],
    ["POST", "/do/order/one", "GET, HEAD"],
    ["POST", "/do/orders", "GET, HEAD"],
    ["POST", "/do/order/one/wait", "GET, HEAD"],
  ])("%s %s", async (method, path, allow) => {
    const answer = await ask(path, { method });
    expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.get("allow")).toBe(allow);
  });

  test("a cancellation of an order that nobody placed", async () => {
    expectRefusal(await ask("/do/order/nothing:cancel", { method: "POST" }), notFound);
    expectRefusal(await ask("/do/order/one:cancel", { method: "POST" }), notFound);
    expectRefusal(await ask("/do/order/nothing:stop", { method: "POST" }), { status: 405, code: "METHOD_NOT_ALLOWED" });
  });
});

describe("afterwards", () => {
  test("nothing was stored", async () => {
    const [count] = await kenri.store("orders").sql`select (select count(*) from idempo_ledger) as ledger,
      (select count(*) from outbox_orders) as outbox, (select count(*) from idempo_ledger_history) as history`;
    expect({ ...count }).toEqual({ ledger: 2, outbox: 2, history: 2 });
  });

  test("every key that was refused can be used for a good order", async () => {
    const refused = [...used];
    const answers: number[] = [];
    for (let n = 0; n < refused.length; n += 50)
      answers.push(
        ...(await Promise.all(
          refused.slice(n, n + 50).map(async key => (await post(JSON.stringify(market), { "idempotency-key": key })).status),
        )),
      );
    expect(new Set(answers)).toEqual(new Set([202]));
  });

  test("the server logged no unexpected error", async () => {
    expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
    expect(await kenri.metric("orders", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
  });
});
