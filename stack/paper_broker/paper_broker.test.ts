import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type TestPaperBroker, testPaperBroker } from "../../server/testing/paper_broker.ts";
import { sendRaw } from "../../server/testing/raw_http.ts";
import { run } from "../command.ts";
import { scratchFolder } from "../scratch.ts";
import { until } from "../wait.ts";
import { countAtOnce } from "./at_once.ts";

let broker: TestPaperBroker;
beforeAll(async () => {
  broker = await testPaperBroker();
});
afterAll(async () => expect(await broker.stop()).toBe(0));

const market = { symbol: "ACME", side: "BUY", quantity: "2", order_type: "MARKET" };
let number = 0;
const newKey = () => `tester:key-${++number}`;

function post(key: string, order: object = market, init: RequestInit = {}): Promise<Response> {
  return fetch(`${broker.url}/orders`, { method: "POST", headers: { "idempotency-key": key }, body: JSON.stringify(order), ...init });
}

async function ask(key: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${broker.url}/orders/${encodeURIComponent(key)}`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const cut = (answer: Promise<Response>) =>
  answer.then(
    ({ status }) => `status ${status}`,
    () => "cut",
  );

test("a MARKET order is filled, a LIMIT order only at its price, and the key finds both", async () => {
  const [filled, waiting] = [newKey(), "a%20client:k/1?#"];
  const answer = await post(filled);
  const execution = (await answer.json()) as Record<string, unknown>;
  expect([answer.status, execution]).toEqual([201, expect.objectContaining({ state: "filled", quantity: "2" })]);
  expect(execution.price).toMatch(/^\d+\.\d\d$/);
  expect(await ask(filled)).toEqual({ status: 200, body: { ...execution, executions: 1 } as Record<string, unknown> });

  const low = { ...market, order_type: "LIMIT", limit_price: "0.0000000001" };
  expect(await (await post(waiting, low)).json()).toMatchObject({ state: "open" });
  expect((await ask(waiting)).body).toMatchObject({ state: "open", executions: 1 });
  expect(await (await post(newKey(), { ...low, side: "SELL" })).json()).toMatchObject({ state: "filled", price: execution.price });
  expect(await (await post(newKey(), { ...low, limit_price: execution.price })).json()).toMatchObject({ state: "filled" });
});

test("two POSTs of a key are two executions, and the page says so", async () => {
  const key = newKey();
  const before = await broker.summary();
  const first = (await (await post(key)).json()) as { broker_order_id: string };
  await post(key);
  expect((await ask(key)).body).toMatchObject({ executions: 2, broker_order_id: first.broker_order_id });
  const after = await broker.summary();
  expect(after.orders - before.orders).toBe(1);
  expect(after.executions - before.executions).toBe(2);
  expect(after.executed_twice - before.executed_twice).toBe(1);
  expect(await (await fetch(broker.url)).text()).toContain("executed more than once");
});

test("drop_before cuts the connection, and nothing is recorded", async () => {
  await broker.setFaults({ drop_before: 1 });
  const key = newKey();
  expect(await cut(post(key))).toBe("cut");
  const body = JSON.stringify(market);
  const bytes = `POST /orders HTTP/1.1\r\nHost: 127.0.0.1\r\nIdempotency-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  expect(await sendRaw(broker.url, bytes)).toBe("closed");
  await broker.setFaults();
  expect(await ask(key)).toMatchObject({ status: 404, body: { reason_code: "UNKNOWN_ORDER" } });
});

test("drop_after and fail_500_after execute and do not tell", async () => {
  const [dropped, failed] = [newKey(), newKey()];
  await broker.setFaults({ drop_after: 1 });
  expect(await cut(post(dropped))).toBe("cut");
  await broker.setFaults({ fail_500_after: 1 });
  expect((await post(failed)).status).toBe(500);
  await broker.setFaults();
  for (const key of [dropped, failed]) expect((await ask(key)).body).toMatchObject({ state: "filled", executions: 1 });
});

test("429, 503 and 500 record nothing; 429 has the Retry-After of the faults", async () => {
  const key = newKey();
  const answers: [object, number, string, string | null][] = [
    [{ too_many: 1, retry_after_s: 7 }, 429, "TOO_MANY_REQUESTS", "7"],
    [{ fail_503: 1 }, 503, "UNAVAILABLE", null],
    [{ fail_500: 1 }, 500, "INTERNAL_ERROR", null],
  ];
  for (const [faults, status, reason_code, retryAfter] of answers) {
    await broker.setFaults(faults);
    const answer = await post(key);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
    expect(await answer.json()).toMatchObject({ reason_code });
  }
  await broker.setFaults();
  expect((await ask(key)).status).toBe(404);
});

test("a rejected order is recorded with its reason, and is executed if it is sent again later", async () => {
  const [unlisted, key] = [newKey(), newKey()];
  const answer = await post(unlisted, { ...market, symbol: "UNKNOWN" });
  expect([answer.status, await answer.json()]).toEqual([422, expect.objectContaining({ reason_code: "UNKNOWN_SYMBOL" })]);
  await broker.setFaults({ reject: 1 });
  expect((await post(key)).status).toBe(422);
  expect((await ask(key)).body).toMatchObject({ state: "rejected", reason_code: "REJECTED", executions: 0 });
  await broker.setFaults();
  expect((await post(key)).status).toBe(201);
  const { body } = await ask(key);
  expect([body.state, body.reason_code]).toEqual(["filled", undefined]);
  expect((await ask(unlisted)).body).toMatchObject({ state: "rejected", executions: 0 });
});

test("faults concern only the named symbols, and questions only with asks_too", async () => {
  const [hit, spared] = [newKey(), newKey()];
  await Promise.all([post(hit, { ...market, symbol: "HIT" }), post(spared)]);
  await broker.setFaults({ fail_503: 1, symbols: ["HIT"] });
  expect((await post(spared)).status).toBe(201);
  expect((await post(hit, { ...market, symbol: "HIT" })).status).toBe(503);
  expect((await ask(hit)).status).toBe(200);
  await broker.setFaults({ fail_503: 1, symbols: ["HIT"], asks_too: true });
  expect([(await ask(hit)).status, (await ask(spared)).status]).toEqual([503, 200]);
  await broker.setFaults({ drop_before: 1, asks_too: true });
  expect(await cut(fetch(`${broker.url}/orders/no-such-key`))).toBe("cut");
  await broker.setFaults();
});

test("a delayed order is `received`, counts while its connection is open, and is executed after the client went away", async () => {
  const [patient, impatient] = [newKey(), newKey()];
  await broker.setFaults({ delay_ms: [1500, 2000] });
  const away = new AbortController();
  const [waiting, left] = [post(patient), cut(post(impatient, market, { signal: away.signal }))];
  await until("both are received", 5_000, async () => (await broker.summary()).at_once === 2);
  await until("both are in the book", 5_000, async () => (await ask(impatient)).status === 200 && (await ask(patient)).status === 200);
  expect((await ask(impatient)).body).toMatchObject({ state: "received", executions: 0 });
  away.abort();
  expect(await left).toBe("cut");
  await until("one connection is open", 5_000, async () => (await broker.summary()).at_once < 2);
  expect((await waiting).status).toBe(201);
  await until("the other is executed too", 5_000, async () => (await ask(impatient)).body.executions === 1);
  await until("no connection is open", 5_000, async () => (await broker.summary()).at_once === 0);
  await broker.setFaults();
});

test("the highest number at once is never above what clients have open, although they cut, time out and come again", async () => {
  const another = await testPaperBroker();
  try {
    await another.setFaults({ delay_ms: [10, 60], drop_before: 0.1, drop_after: 0.1, fail_503: 0.1 });
    let sent = 0;
    const place = (patience: number) =>
      fetch(`${another.url}/orders`, {
        method: "POST",
        headers: { "idempotency-key": `k-${sent++}` },
        body: JSON.stringify(market),
        signal: AbortSignal.timeout(patience),
      }).then(answer => answer.text());
    const lane = async (patience: number, last: number) => {
      while (sent < last) await place(patience).catch(() => {});
    };
    const lanes = (patience: number, last: number) => Promise.all(Array.from({ length: 4 }, () => lane(patience, last)));
    await lanes(10_000, 100);
    await until("four at once are counted", 10_000, async () => (await another.summary()).most_at_once === 4);
    await lanes(40, 300);
    await until("no order is open", 10_000, async () => (await another.summary()).at_once === 0);
    await Bun.sleep(200); // the highest number is taken 100 ms later
    expect((await another.summary()).most_at_once).toBe(4);
  } finally {
    await another.stop();
  }
});

test("an order counts as left if its client goes away while its answer is prepared: the client's next order is not a second one at once", async () => {
  const { enter, counts } = countAtOnce();
  const first = enter();
  const next = enter();
  const answered = first.answered();
  first.left();
  await answered;
  await until("the highest number is taken", 5_000, () => counts().most_at_once > 0);
  await next.answered();
  expect(counts()).toEqual({ at_once: 0, most_at_once: 1 });
});

test("kill -9 loses no answered order, and an order that was received is executed once at the next start", async () => {
  const keys = Array.from({ length: 200 }, newKey);
  const answered: string[] = [];
  await broker.setFaults({ delay_ms: [0, 2000] });
  const sending = keys.map(async key => void ((await cut(post(key))) === "status 201" && answered.push(key)));
  await until("some answers", 20_000, () => answered.length >= 20);
  await broker.kill();
  await Promise.all(sending);
  expect(answered.length).toBeLessThan(keys.length);
  await broker.start();
  const book = new Map((await broker.book()).map(row => [row.key, row]));
  expect(answered.filter(key => book.get(key)?.executions !== 1)).toEqual([]);
  const mine = keys.flatMap(key => book.get(key) ?? []);
  expect(mine.length).toBeGreaterThan(answered.length);
  expect(mine.every(({ state, executions }) => state === "filled" && executions === 1)).toBe(true);
  expect((await broker.summary()).received).toBe(0);
  expect(await (await fetch(`${broker.url}/faults`)).json()).toEqual({});
});

test("the book has pages, and its totals are those of the summary", async () => {
  await Promise.all(Array.from({ length: 12 }, () => post(newKey())));
  const [all, summary] = [await broker.book(), await broker.summary()];
  expect(all.length).toBe(summary.orders);
  expect(all.reduce((sum, { executions }) => sum + executions, 0)).toBe(summary.executions);
  const seen: string[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = (await (await fetch(`${broker.url}/book?after=${after}&limit=5`)).json()) as { rows: { key: string }[]; next?: number };
    seen.push(...page.rows.map(({ key }) => key));
    after = page.next;
  }
  expect(seen).toEqual(all.map(({ key }) => key));
});

test("bad requests are 400 with a sentence, and nothing is recorded", async () => {
  const { orders } = await broker.summary();
  const bad = [
    { ...market, quantity: 2 },
    { ...market, quantity: "0" },
    { ...market, quantity: "-1" },
    { ...market, quantity: "1e4" },
    { ...market, side: "HOLD" },
    { ...market, order_type: "LIMIT" },
    { ...market, limit_price: "1" },
    { ...market, symbol: "acme" },
    { ...market, more: 1 },
    [],
  ];
  for (const order of bad) {
    const answer = await post(newKey(), order);
    expect([order, answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      order,
      400,
      expect.stringMatching(/\.$/),
    ]);
  }
  expect((await post("a key with spaces")).status).toBe(400);
  expect((await post(newKey(), market, { body: "{" })).status).toBe(400);
  for (const path of ["/book?limit=0", "/book?limit=x", "/book?after=-1", "/?before=x", "/orders/%zz"]) {
    expect([path, (await fetch(`${broker.url}${path}`)).status]).toEqual([path, 400]);
  }
  for (const faults of [{ drop: 1 }, { reject: 2 }, { reject: "1" }, { delay_ms: [2, 1] }, { delay_ms: -1 }, { symbols: [] }]) {
    const answer = await fetch(`${broker.url}/faults`, { method: "PUT", body: JSON.stringify(faults) });
    expect([faults, answer.status]).toEqual([faults, 400]);
  }
  for (const path of ["/nothing", "//", "/orders", "http://127.0.0.1/book"]) {
    expect([path, await sendRaw(broker.url, `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)]).toMatchObject([path, { status: 404 }]);
  }
  expect((await broker.summary()).orders).toBe(orders);
});

test("pages of other sites change nothing and read nothing", async () => {
  const form = (headers: Record<string, string>) =>
    fetch(`${broker.url}/faults`, { method: "POST", headers, body: "reject=1", redirect: "manual" });
  expect((await form({ origin: "http://evil.test" })).status).toBe(403);
  expect((await form({ "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await post(newKey(), market, { headers: { "idempotency-key": newKey(), origin: "http://evil.test" } })).status).toBe(403);
  expect(await sendRaw(broker.url, "GET /book HTTP/1.1\r\nHost: evil.test\r\n\r\n")).toMatchObject({ status: 403 });
  expect(await (await fetch(`${broker.url}/faults`)).json()).toEqual({});
  expect((await form({ origin: broker.url, "sec-fetch-site": "same-origin" })).status).toBe(303);
  expect(await (await fetch(`${broker.url}/faults`)).json()).toEqual({ reject: 1 });
  expect(await (await fetch(broker.url)).text()).toContain("Now: reject = 1.");
  await broker.setFaults();
});

test("the page shows values as text, loads nothing and runs no script", async () => {
  await post("tester:<b>&\"'", { ...market, client_tag: "<script>alert(1)</script>" });
  const answer = await fetch(broker.url);
  const page = await answer.text();
  expect(answer.headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
  expect(page).toContain("tester:&lt;b&gt;&amp;");
  expect(page).not.toMatch(/<script|https?:\/\//);
  const older = /href="(\/\?before=\d+)"/.exec(page)?.[1];
  expect((await (await fetch(`${broker.url}${older}`)).text()).match(/<tr>/g)?.length).toBeGreaterThan(1);
});

test("with a token, orders need it", async () => {
  const guarded = await testPaperBroker("a-token");
  try {
    const place = (headers: Record<string, string>) =>
      fetch(`${guarded.url}/orders`, { method: "POST", headers: { "idempotency-key": "k", ...headers }, body: JSON.stringify(market) });
    expect((await place({})).status).toBe(401);
    expect((await place({ authorization: "Bearer another" })).status).toBe(401);
    expect((await fetch(`${guarded.url}/orders/k`)).status).toBe(401);
    expect((await place({ authorization: "Bearer a-token" })).status).toBe(201);
  } finally {
    await guarded.stop();
  }
});

test("a folder has one broker, and wrong arguments are refused", async () => {
  const main = join(import.meta.dir, "main.ts");
  const folder = scratchFolder();
  const first = Bun.spawn([process.execPath, main, "--port", "0", "--data", folder], { stdin: "ignore", stdout: "pipe" });
  try {
    const { value } = await first.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toMatch(/^paper broker: http:\/\/127\.0\.0\.1:\d+\/\n$/);
    const second = await run([process.execPath, main, "--port", "0", "--data", folder]);
    expect([second.code, second.output]).toEqual([1, expect.stringContaining("another paper broker")]);
    expect((await run([process.execPath, main])).code).toBe(2);
  } finally {
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  }
});
