import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import type { AskResult, SendResult } from "./adapter.ts";
import { paperAdapter } from "./paper_adapter.ts";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach(close => void close()));

interface Wire {
  readonly url: string;
  /** The requests that arrived, whole. */
  readonly requests: string[];
  readonly connections: () => number;
}

/** A server that speaks bytes: what a test makes it answer, and every request that arrived. */
async function wire(answer: (socket: Socket, request: string, number: number) => void): Promise<Wire> {
  const requests: string[] = [];
  let connections = 0;
  const server: Server = createServer(socket => {
    connections++;
    let text = "";
    socket.on("error", () => {});
    socket.on("data", data => {
      text += data;
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      requests.push(text);
      text = "";
      answer(socket, requests.at(-1)!, requests.length);
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => void server.close());
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}`, requests, connections: () => connections };
}

const http = (status: number, body: unknown, headers: Record<string, string> = {}): string => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const lines = Object.entries({ "content-length": String(Buffer.byteLength(text)), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return `HTTP/1.1 ${status} x\r\n${lines.join("\r\n")}\r\n\r\n${text}`;
};
const answering = (status: number, body: unknown, headers?: Record<string, string>) =>
  wire(socket => void socket.write(http(status, body, headers)));

const key = "client:k/1?";
const order = { key, symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" } as const;
const never = new AbortController().signal;
const adapterAt = (url: string, token?: string) => paperAdapter({ url, token, sendWithin: 500, askWithin: 500 });
const send = ({ url }: { url: string }) => adapterAt(url).send(order, never);
const ask = ({ url }: { url: string }) => adapterAt(url).ask(key, never);
const classOf = (result: SendResult | AskResult) => [result.outcome, result.outcome === "succeeded" ? result.brokerOrderId : result.code];

const filled = { broker_order_id: "p-1", state: "filled", price: "1.00", quantity: "1", executed_at: "2026-01-01T00:00:00.000Z" };
const nowhere = { url: "http://127.0.0.1:9" };

describe("a send", () => {
  test("carries the key, the order and the token, and asks for a connection of its own", async () => {
    const broker = await answering(201, filled);
    const result = await adapterAt(`${broker.url}/`, "a-secret-token-here").send(order, never);
    expect(result).toEqual({ outcome: "succeeded", brokerOrderId: "p-1", answer: filled });
    const [request] = broker.requests;
    expect(request).toStartWith("POST /orders HTTP/1.1\r\n");
    for (const header of [`idempotency-key: ${key}`, "authorization: Bearer a-secret-token-here", "connection: close"])
      expect(request!.toLowerCase()).toContain(header.toLowerCase());
    expect(JSON.parse(request!.split("\r\n\r\n")[1]!)).toEqual({ symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" });
  });

  test.each([
    [422, { reason_code: "REJECTED", message: "no" }, "final", "REJECTED"],
    [400, { reason_code: "BAD_ORDER" }, "final", "BAD_ORDER"],
    [429, { reason_code: "TOO_MANY_REQUESTS" }, "retryable", "TOO_MANY_REQUESTS"],
    [503, { reason_code: "UNAVAILABLE" }, "retryable", "UNAVAILABLE"],
    [401, { reason_code: "UNAUTHORIZED" }, "retryable", "UNAUTHORIZED"],
    [500, { reason_code: "INTERNAL_ERROR" }, "unknown", "INTERNAL_ERROR"],
    [502, "<html>", "unknown", "UNREADABLE_ANSWER"],
    [504, {}, "unknown", "HTTP_504"],
    [409, { reason_code: "DUPLICATE" }, "unknown", "DUPLICATE"],
    [503, "<html>busy</html>", "unknown", "UNREADABLE_ANSWER"],
    [503, { error: "busy" }, "unknown", "HTTP_503"],
    [422, "", "unknown", "UNREADABLE_ANSWER"],
    [422, { reason_code: "not a code" }, "unknown", "HTTP_422"],
    [422, { reason_code: "CANCELLED" }, "final", "BROKER_CANCELLED"],
    [503, { reason_code: "TIMEOUT" }, "retryable", "BROKER_TIMEOUT"],
    [307, { reason_code: "MOVED" }, "unknown", "MOVED"],
    [201, "", "unknown", "UNREADABLE_ANSWER"],
    [201, "[]", "unknown", "UNREADABLE_ANSWER"],
    [201, { ...filled, broker_order_id: "" }, "unknown", "UNREADABLE_ANSWER"],
    [201, { ...filled, state: "received" }, "unknown", "UNREADABLE_ANSWER"],
    [201, { ...filled, key: "client:other" }, "unknown", "OTHER_ORDER"],
  ])("answered with %i %j is %s", async (status, body, outcome, code) => {
    expect(classOf(await send(await answering(status, body)))).toEqual([outcome, code]);
  });

  test("is surely not executed if no connection was made, and nothing else without an answer is", async () => {
    expect(classOf(await send(nowhere))).toEqual(["retryable", "CONNECTION_REFUSED"]);
    expect(classOf(await send({ url: "http://no-such-host.invalid" }))).toEqual(["retryable", "UNKNOWN_HOST"]);
    const cuts: [string, (socket: Socket) => void][] = [
      ["CONNECTION_LOST", socket => socket.destroy()],
      ["CONNECTION_LOST", socket => socket.resetAndDestroy()],
      ["CONNECTION_LOST", socket => socket.end("nonsense\r\n\r\n")],
      ["CONNECTION_LOST", socket => socket.end("HTTP/1.1 201 x\r\ncontent-length: 500\r\n\r\n{")],
      ["TIMEOUT", () => {}],
      ["TIMEOUT", socket => void socket.write("HTTP/1.1 201 x\r\ncontent-length: 500\r\n\r\n{")],
    ];
    for (const [code, cut] of cuts) expect(classOf(await send(await wire(cut)))).toEqual(["unknown", code]);
  });

  test("of which the lease ends is given up at once, as unknown", async () => {
    const broker = await wire(() => {});
    const lease = new AbortController();
    const sending = paperAdapter({ url: broker.url, sendWithin: 60_000, askWithin: 500 }).send(order, lease.signal);
    lease.abort();
    expect(classOf(await sending)).toEqual(["unknown", "GIVEN_UP"]);
  });

  test("is one request on one connection, however the broker closes connections", async () => {
    const broker = await wire((socket, _, number) => {
      const ends = [() => socket.destroy(), () => socket.end(), () => socket.resetAndDestroy()];
      if (number % 4 !== 0) return ends[(number % 4) - 1]!();
      socket.write(http(201, filled), () => setTimeout(() => socket.destroy(), number % 3));
    });
    const adapter = adapterAt(broker.url);
    for (let n = 0; n < 200; n++) await adapter.send(order, never);
    expect([broker.requests.length, broker.connections()]).toEqual([200, 200]);
  });

  test("does not follow a redirect", async () => {
    const elsewhere = await answering(201, filled);
    const broker = await answering(308, "", { location: `${elsewhere.url}/orders` });
    expect((await send(broker)).outcome).toBe("unknown");
    expect(elsewhere.requests).toEqual([]);
  });

  test("reads an answer up to a limit, and keeps only texts that can be stored", async () => {
    expect(classOf(await send(await answering(201, { ...filled, more: "x".repeat(70_000) })))).toEqual(["unknown", "UNREADABLE_ANSWER"]);
    const odd = await send(
      await answering(201, '{"broker_order_id":"a\\u0000b","state":"open","price":"\\ud800","extra":{"a":"\\u0000"},"quantity":1}'),
    );
    expect(odd).toEqual({
      outcome: "succeeded",
      brokerOrderId: "a\uFFFDb",
      answer: { broker_order_id: "a\uFFFDb", state: "open", price: "\uFFFD", quantity: 1 },
    });
    const refused = await send(await answering(422, { reason_code: "REJECTED", message: `a\0${"😀".repeat(400)}` }));
    const { message } = refused as { message: string };
    expect([refused.outcome, message.slice(0, 2), message.isWellFormed()]).toEqual(["final", "a\uFFFD", true]);
  });

  test("reads Retry-After as seconds or as a date, and ignores anything else", async () => {
    const retryAfter = async (header: string, headers = {}) => {
      const result = await send(await answering(429, { reason_code: "TOO_MANY_REQUESTS" }, { "retry-after": header, ...headers }));
      return (result as { retryAfter?: number }).retryAfter;
    };
    expect([await retryAfter("7"), await retryAfter("soon"), await retryAfter("-3")]).toEqual([7, undefined, undefined]);
    expect(await retryAfter(new Date(Date.now() + 3_600_000).toUTCString())).toBeWithin(3500, 3602);
    expect(await retryAfter(new Date(Date.now() - 60_000).toUTCString())).toBe(0);
    const [date, later] = ["Thu, 01 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 00:00:30 GMT"];
    expect([await retryAfter(later, { date }), await retryAfter(date, { date: later })]).toEqual([30, 0]);
    expect(await retryAfter(new Date(Date.now() + 3_600_000).toUTCString(), { date: "now" })).toBeWithin(3500, 3602);
  });
});

describe("an ask", () => {
  test("names the order by its key", async () => {
    const broker = await answering(200, { ...filled, executions: 1 });
    expect(await ask(broker)).toEqual({ outcome: "succeeded", brokerOrderId: "p-1", answer: filled });
    expect(broker.requests[0]).toStartWith("GET /orders/client%3Ak%2F1%3F HTTP/1.1\r\n");
  });

  test.each([
    [200, { state: "received", executions: 0 }, "working", "WORKING"],
    [200, { state: "rejected", reason_code: "UNKNOWN_SYMBOL", executions: 0 }, "final", "UNKNOWN_SYMBOL"],
    [200, { state: "rejected", reason_code: "EXPIRED", executions: 0 }, "final", "BROKER_EXPIRED"],
    [404, { reason_code: "UNKNOWN_ORDER" }, "not_known", "UNKNOWN_ORDER"],
    [404, { reason_code: "NOT_FOUND" }, "no_answer", "NOT_FOUND"],
    [404, "<html>", "no_answer", "UNREADABLE_ANSWER"],
    [200, {}, "no_answer", "UNREADABLE_ANSWER"],
    [200, { ...filled, key: "client:other" }, "no_answer", "OTHER_ORDER"],
    [401, { reason_code: "UNAUTHORIZED" }, "no_answer", "UNAUTHORIZED"],
    [500, { reason_code: "INTERNAL_ERROR" }, "no_answer", "INTERNAL_ERROR"],
  ])("answered with %i %j is %s", async (status, body, outcome, code) => {
    expect(classOf(await ask(await answering(status, body)))).toEqual([outcome, code]);
  });

  test("without an answer says nothing about the order", async () => {
    expect(classOf(await ask(nowhere))).toEqual(["no_answer", "CONNECTION_REFUSED"]);
    expect(classOf(await ask(await wire(socket => socket.destroy())))).toEqual(["no_answer", "CONNECTION_LOST"]);
    expect(classOf(await ask(await wire(() => {})))).toEqual(["no_answer", "TIMEOUT"]);
  });
});

describe("a probe", () => {
  test("asks for an order that cannot exist", async () => {
    const broker = await answering(404, { reason_code: "UNKNOWN_ORDER" });
    expect(await adapterAt(broker.url).probe()).toBeUndefined();
    expect(broker.requests[0]).toStartWith("GET /orders/no-such-order HTTP/1.1");
    expect(await adapterAt((await answering(200, { state: "received" })).url).probe()).toBeUndefined();
  });

  test.each([
    [200, "<html>maintenance</html>", "the broker answers 200 without a readable body"],
    [404, { reason_code: "NOT_FOUND" }, "the broker answers 404 NOT_FOUND"],
    [404, "<html>", "the broker answers 404 without a readable body"],
    [401, { reason_code: "UNAUTHORIZED" }, "the broker refuses the token (401): check BROKER_TOKEN"],
    [403, "<html>", "the broker refuses the token (403): check BROKER_TOKEN"],
    [302, {}, "the broker answers 302"],
    [429, { reason_code: "TOO_MANY_REQUESTS" }, "the broker answers 429 TOO_MANY_REQUESTS"],
    [503, {}, "the broker answers 503"],
    [503, "<html>", "the broker answers 503 without a readable body"],
  ])("that is answered with %i %j finds: %s", async (status, body, found) => {
    expect(await adapterAt((await answering(status, body)).url).probe()).toBe(found);
  });

  test("without an answer finds that", async () => {
    for (const { url } of [nowhere, await wire(socket => socket.destroy()), await wire(() => {})])
      expect(await adapterAt(url).probe()).toBe("the broker does not answer");
  });
});
