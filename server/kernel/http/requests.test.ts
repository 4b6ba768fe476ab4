import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { until } from "../../../stack/wait.ts";
import { type Person, signedIn } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, type TestProcess, type TestSystem, testKenri } from "../../testing/kenri.ts";
import { sendRaw } from "../../testing/raw_http.ts";
import { expectRefusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let services: TestProcess;
let gateway: TestGateway;
let admin: Person;
beforeAll(async () => {
  kenri = await testKenri();
  const place = await gatewayPlace();
  services = await kenri.start("account:api entitlement:api notification:api", place.forServices);
  gateway = await startGateway(kenri, place);
  admin = await signedIn(gateway, "admin");
});
afterAll(() => kenri.close());

const json = { "content-type": "application/json" };
const grant = JSON.stringify({ user_id: "alice", stock_keeping_unit: "item1", reason: "purchase", purchase_id: "p_1" });
const encodings: [encoding: string, encode: (body: string) => string | Uint8Array<ArrayBuffer>][] = [
  ["gzip", body => new Uint8Array(gzipSync(body))],
  ["gzip", body => body], // what it says is not what it is
  ["br", body => body],
  ["identity, gzip", body => body],
];

async function expectUnsupported(answering: Promise<Response>): Promise<void> {
  const response = await answering;
  const answer = { status: response.status, headers: response.headers, text: await response.text() };
  expectRefusal(answer, { status: 415, code: "UNSUPPORTED_CONTENT_ENCODING" });
  expect(answer.headers.get("accept-encoding")).toBe("identity");
  expect(answer.text).toContain("without Content-Encoding");
}

describe.each(encodings)("a body encoded as %s is refused", (encoding, encode) => {
  const encoded = { ...json, "content-encoding": encoding };
  const services: [system: TestSystem, method: string, path: string, body: string][] = [
    ["entitlement", "POST", "/v1/entitlements/grants", grant],
    ["entitlement", "POST", "/v1/entitlements/revokes", grant],
    ["notification", "PUT", "/debug/faults", '{"user_prefix":"unlucky"}'],
    ["account", "POST", "/identities:resolve", '{"provider":"p","subject":"s"}'],
    ["account", "PATCH", "/users/01890000-0000-7000-8000-000000000000", '{"display_name":"x"}'],
  ];
  test.each(services)("by %s: %s %s", async (system, method, path, body) => {
    const headers = { ...encoded, "idempotency-key": "k" };
    await expectUnsupported(kenri.call(system, path, { method, headers, body: encode(body) }));
  });

  const pages: [method: string, path: string, body: string][] = [
    ["POST", "/v1/me/notifications/read", '{"up_to":1}'],
    ["PATCH", "/v1/users/ME", '{"display_name":"x"}'],
    ["PUT", "/admin/api/users/ME/roles", '{"roles":[],"reason":"r"}'],
    ["POST", "/admin/api/entitlement/users/ME/grants", '{"stock_keeping_unit":"item1","reason":"r"}'],
    ["POST", "/admin/api/notification/notifications/bulk/requeue", '{"reason":"r"}'],
    ["POST", "/logout", ""],
  ];
  test.each(pages)("by the gateway: %s %s", async (method, path, body) => {
    const headers = { ...encoded, "idempotency-key": "k" };
    await expectUnsupported(admin.call(gateway.url, path.replace("ME", admin.userId), { method, headers, body: encode(body) }));
  });
});

describe("headers that change the meaning of the body are not ignored", () => {
  const cases: [headers: string[], status: number, code: string][] = [
    [["Content-Type: application/json; charset=utf-16"], 415, "UNSUPPORTED_MEDIA_TYPE"],
    [["Content-Type: application/json; charset=utf-8", "Content-Type: text/plain"], 415, "UNSUPPORTED_MEDIA_TYPE"],
    [["Content-Type: multipart/form-data; boundary=x"], 415, "UNSUPPORTED_MEDIA_TYPE"],
    [["Content-Type: application/json", "Content-Encoding: identity", "Content-Encoding: br"], 415, "UNSUPPORTED_CONTENT_ENCODING"],
    [["Content-Type: application/json", "Content-Range: bytes 0-9/20"], 400, "INVALID_REQUEST"],
    [["Content-Type: application/json", "Expect: a-cup-of-tea"], 417, "EXPECTATION_FAILED"],
    [["Content-Type: application/json", 'If-Match: "v1"'], 412, "PRECONDITION_FAILED"],
  ];
  test.each(cases)("%j", async (headers, status, code) => {
    const fixed = ["POST /v1/entitlements/grants HTTP/1.1", "Host: kenri", `Authorization: Bearer ${kenri.key}`, "Idempotency-Key: k"];
    const request = `${[...fixed, ...headers, `Content-Length: ${grant.length}`].join("\r\n")}\r\n\r\n${grant}`;
    const answer = await sendRaw(kenri.urlOf("entitlement"), request);
    if (answer === "closed") throw new Error("the server hung up");
    expectRefusal(answer, { status, code }, [kenri.key]);
  });

  test.each(["gzip, chunked", "chunked, gzip", "gzip", "identity"])("Transfer-Encoding: %s", async coding => {
    const request = `POST /v1/entitlements/grants HTTP/1.1\r\nHost: kenri\r\nTransfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    expect(await sendRaw(kenri.urlOf("entitlement"), request)).toMatchObject({ status: 400 });
  });
});

describe("a request of a person", () => {
  const linesOf = (from: TestProcess, requestId: string) =>
    from.lines.filter(line => line.includes(`"request_id":"${requestId}"`)).map(line => JSON.parse(line) as Record<string, unknown>);

  test("is found by its request id in the logs of the gateway and of the service", async () => {
    const answer = await admin.fetch(`${gateway.url}/admin/api/entitlement/outbox?status=FAILED`);
    expect(answer.status).toBe(200);
    const id = answer.headers.get("x-request-id")!;
    await until("both have logged it", 5000, () => linesOf(gateway.process, id).length > 0 && linesOf(services, id).length > 0);
    const common = { msg: "http.request", level: "info", method: "GET", status: 200, user_id: admin.userId };
    expect(linesOf(gateway.process, id)).toMatchObject([{ ...common, route: "/admin/api/entitlement/*", role: "gateway:api" }]);
    const ofService = linesOf(services, id).filter(({ role }) => role === "entitlement:api");
    expect(ofService).toMatchObject([{ ...common, route: "/ops/outbox", duration_ms: expect.any(Number) }]);
    expect(linesOf(gateway.process, id)[0]?.trace_id).toBe(ofService[0]?.trace_id as string);
  });

  test("keeps the client's request id, and is one log line whatever is in the path", async () => {
    const id = `client-${crypto.randomUUID()}`;
    const forged = encodeURIComponent('x\n{"level":"error","msg":"forged"}');
    await admin.fetch(`${gateway.url}/v1/users/${forged}?token=hunter2`, { headers: { "x-request-id": id } });
    await until("both have logged it", 5000, () => linesOf(gateway.process, id).length > 0 && linesOf(services, id).length > 0);
    const lines = [...gateway.process.lines, ...services.lines];
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    expect(lines.join()).not.toContain("hunter2");
    expect(lines.join()).not.toContain("forged");
  });

  test("for a page, its assets and health checks are not logged", async () => {
    for (const path of ["/livez", "/readyz", "/openapi", "/home/home.css", "/admin/assets/none.js"])
      await fetch(`${gateway.url}${path}`, { headers: { "x-request-id": "not-logged" } });
    await fetch(`${gateway.url}/`, { headers: { "x-request-id": "logged-1" } });
    await until("the last one is logged", 5000, () => linesOf(gateway.process, "logged-1").length === 1);
    expect(linesOf(gateway.process, "not-logged")).toEqual([]);
  });
});

test("afterwards nothing was written, and the keys can be used for valid requests", async () => {
  const [{ rows }] = (await kenri.entitlementSql`select (select count(*) from idempotency_keys) + (select count(*) from entitlements)
    + (select count(*) from outbox_events) + (select count(*) from operator_actions) as rows`) as [{ rows: number }];
  expect(rows).toBe(0);
  const [{ audits }] = (await kenri.account().sql`select count(*) as audits from audit_logs`) as [{ audits: number }];
  expect(audits).toBe(1); // how the admin came to be
  expect((await kenri.grant("alice", "item1", { key: "k", headers: { "content-encoding": "identity" } })).status).toBe(200);
});
