import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { TestProcess } from "../../testing/process.ts";
import { type RawAnswer, sendRaw } from "../../testing/raw_http.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let server: TestProcess;
let slow: Promise<RawAnswer | "closed">;
beforeAll(async () => {
  kenri = await testKenri({ BODY_WITHIN: "1s" });
  server = await kenri.start("entitlement:api");
  slow = sendRaw(kenri.urlOf("entitlement"), request(["Idempotency-Key: slow", "Content-Length: 100"], "{"), 15_000);
});
afterAll(() => kenri.close());

const good = JSON.stringify({ user_id: "alice", stock_keeping_unit: "item1", reason: "purchase", purchase_id: "p_1" });
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const chunk = (size: number) => `${size.toString(16)}\r\n${" ".repeat(size)}\r\n`;

/** A grant as it goes over the wire, with these headers and this body. */
function request(headers: readonly string[], body: string): string {
  const fixed = [
    "POST /v1/entitlements/grants HTTP/1.1",
    "Host: kenri",
    `Authorization: Bearer ${kenri.key}`,
    "Content-Type: application/json",
  ];
  return `${[...fixed, ...headers].join("\r\n")}\r\n\r\n${body}`;
}

const invalid: Refusal = { status: 400, code: "INVALID_REQUEST" };
const tooLarge: Refusal = { status: 413, code: "BODY_TOO_LARGE" };

describe("what the service itself refuses is a problem", () => {
  const chunked = ["Idempotency-Key: k", "Transfer-Encoding: chunked"];
  const cases: [name: string, headers: readonly string[], body: string, refusal: Refusal][] = [
    ["two Hosts", ["Host: other", "Idempotency-Key: k", lengthOf(good)], good, invalid],
    ["one Host twice", ["Host: kenri", "Idempotency-Key: k", lengthOf(good)], good, invalid],
    ["a Host and an empty one", ["Host:", "Idempotency-Key: k", lengthOf(good)], good, invalid],
    ["two keys", ["Idempotency-Key: a", "Idempotency-Key: b", lengthOf(good)], good, invalid],
    ["one key twice", ["Idempotency-Key: a", "Idempotency-Key: a", lengthOf(good)], good, invalid],
    ["a key and an empty one", ["Idempotency-Key: a", "Idempotency-Key:", lengthOf(good)], good, invalid],
    ["an empty key and one", ["Idempotency-Key:", "Idempotency-Key: a", lengthOf(good)], good, invalid],
    ["two quoted keys", ['Idempotency-Key: "a"', 'Idempotency-Key: "b"', lengthOf(good)], good, invalid],
    ["a key beyond ASCII", ["Idempotency-Key: ключ", lengthOf(good)], good, invalid],
    ["no body", ["Idempotency-Key: k"], "", invalid],
    ["an empty chunked body", chunked, "0\r\n\r\n", invalid],
    ["over 64 KiB in chunks", chunked, `${chunk(16_384).repeat(5)}0\r\n\r\n`, tooLarge],
    ["over 64 KiB in chunks without an end", chunked, chunk(16_384).repeat(5), tooLarge],
    ["over 64 KiB declared and not sent", ["Idempotency-Key: k", "Content-Length: 65537"], "{", tooLarge],
    [
      "two callers",
      [`Authorization: Bearer kenri_${"0".repeat(12)}_${"A".repeat(43)}`, "Idempotency-Key: k", lengthOf(good)],
      good,
      { status: 401, code: "UNAUTHORIZED" },
    ],
  ];
  test.each(cases)("%s", async (_, headers, body, refusal) => {
    const answer = await sendRaw(kenri.urlOf("entitlement"), request(headers, body));
    if (answer === "closed") throw new Error("the server hung up");
    expectRefusal(answer, refusal, [kenri.key]);
  });
});

describe("what is no HTTP is refused below the service", () => {
  const whole = (headers: readonly string[], body: string) => () => request(headers, body);
  const cases: [name: string, bytes: () => string | Uint8Array, answers: readonly (number | "closed")[]][] = [
    ["a key with a control character", whole(["Idempotency-Key: a\u0001b", lengthOf(good)], good), [400]],
    ["a key with U+0000", whole(["Idempotency-Key: a\u0000b", lengthOf(good)], good), [400]],
    ["a length and chunks", whole(["Idempotency-Key: k", "Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\n"), [400]],
    ["two lengths", whole(["Idempotency-Key: k", "Content-Length: 5", "Content-Length: 6"], "hello!"), [400]],
    ["a negative length", whole(["Idempotency-Key: k", "Content-Length: -1"], ""), [400]],
    ["a broken chunk", whole(["Idempotency-Key: k", "Transfer-Encoding: chunked"], "xyz\r\n{}\r\n0\r\n\r\n"), [400]],
    ["10 MB declared", whole(["Idempotency-Key: k", "Content-Length: 10000000"], "{"), [413]],
    ["a header of 100 kB", whole([`X-Long: ${"x".repeat(100_000)}`, lengthOf(good)], good), [400, 431, "closed"]],
    ["1,000 headers", whole([...Array.from({ length: 1000 }, (_, n) => `X-${n}: 1`), lengthOf(good)], good), [400, 431, "closed"]],
    ["no host", () => "GET /livez HTTP/1.1\r\n\r\n", [400]],
    ["a word", () => "HELLO\r\n\r\n", [400, "closed"]],
    ["an unknown method", () => "BREW /v1/entitlements/grants HTTP/1.1\r\nHost: kenri\r\n\r\n", [400, 405, 501, "closed"]],
    [
      "TLS",
      () => new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0d, 0x0a, 0x0d, 0x0a]),
      [400, "closed"],
    ],
  ];
  test.each(cases)("%s", async (_, bytes, answers) => {
    const answer = await sendRaw(kenri.urlOf("entitlement"), bytes());
    expect(answers).toContain(answer === "closed" ? answer : answer.status);
  });
});

test("a caller who hangs up in the middle of the body changes nothing and surprises nobody", async () => {
  const { hostname, port } = new URL(kenri.urlOf("entitlement"));
  for (const headers of [
    ["Idempotency-Key: k", lengthOf(good)],
    ["Idempotency-Key: k", "Transfer-Encoding: chunked"],
  ]) {
    const socket = connect(Number(port), hostname);
    await new Promise(resolve => socket.write(request(headers, good.slice(0, 20)), resolve));
    const closed = new Promise(resolve => socket.once("close", resolve));
    socket.resetAndDestroy();
    await closed;
  }
  await until("the server goes on", 5000, async () => (await fetch(`${kenri.urlOf("entitlement")}/livez`)).ok);
});

test("a body that does not arrive is given up", async () => {
  const answer = await slow;
  if (answer === "closed") throw new Error("the server hung up");
  expectRefusal(answer, { status: 408, code: "REQUEST_TIMEOUT" });
});

test("afterwards nothing was written, nothing surprised the server, and the keys can be used for good requests", async () => {
  const [count] = await kenri.entitlementSql`select (select count(*) from idempotency_keys) + (select count(*) from entitlements)
    + (select count(*) from outbox_events) + (select count(*) from entitlement_audit) as rows`;
  expect(count?.rows).toBe(0);
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  const inChunks = await sendRaw(
    kenri.urlOf("entitlement"),
    request(["Idempotency-Key: k", "Transfer-Encoding: chunked"], `${good.length.toString(16)}\r\n${good}\r\n0\r\n\r\n`),
  );
  expect(inChunks).toMatchObject({ status: 200 });
  for (const key of ["a", "slow"]) expect((await kenri.grant(`user of ${key}`, "item1", { key })).status).toBe(200);
});
