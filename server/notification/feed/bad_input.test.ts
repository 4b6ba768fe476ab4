import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { notifications } from "../../testing/notification_rows.ts";
import type { TestProcess } from "../../testing/process.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";

let kenri: TestKenri;
let server: TestProcess;
type Body = NonNullable<RequestInit["body"]>;
const cursors = new Map<string, string>();
const unknown = "01890000-0000-7000-8000-000000000000";
beforeAll(async () => {
  kenri = await testKenri({ LOG_LEVEL: "debug" });
  server = await kenri.start("notification:api");
  await notifications.put(kenri.notificationSql, { aggregate_version: "n" }, "generate_series(1, 3) n");
  cursors.set("inbox", ((await (await kenri.call("notification", `${inbox}?limit=2`)).json()) as { next_cursor: string }).next_cursor);
});
afterAll(() => kenri.close());

const inbox = "/debug/notification/inbox/alice";
const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
const notFound: Refusal = { status: 404, code: "NOT_FOUND" };
const unauthorized: Refusal = { status: 401, code: "UNAUTHORIZED" };

async function ask(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const response = await kenri.call("notification", path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const send = (path: string, body: Body, method = "POST") => ask(path, { method, body, headers: { "content-type": "application/json" } });

const reads = [
  inbox,
  "/ops/notifications/dead",
  `/ops/notifications/${unknown}`,
  "/ops/raw-dead-letters",
  `/ops/raw-dead-letters/${unknown}`,
];
const writes = [`/ops/notifications/${unknown}/requeue`, `/ops/raw-dead-letters/${unknown}/reprocess`];

describe("every route requires a caller", () => {
  test.each(reads)("GET %s", async path => {
    const writer = await kenri.newKey("writer", ["entitlements:write", "ops:write"]);
    expectRefusal(await ask(path, { headers: { authorization: "" } }), unauthorized);
    expectRefusal(await ask(`${path}?api_key=${kenri.key}`, { headers: { authorization: "" } }), unauthorized, [kenri.key]);
    expectRefusal(await ask(path, { headers: { authorization: `Bearer ${writer}` } }), { status: 403, code: "FORBIDDEN" }, [writer]);
  });

  test.each([...writes.map(path => ["POST", path] as const), ["PUT", "/debug/faults"] as const])("%s %s", async (method, path) => {
    const reader = await kenri.newKey("reader", ["entitlements:write", "ops:read"]);
    const init = { method, body: '{"reason":"r"}' };
    expectRefusal(await ask(path, { ...init, headers: { authorization: "", "x-user-id": "root" } }), unauthorized);
    expectRefusal(await ask(path, { ...init, headers: { authorization: `Bearer ${reader}` } }), { status: 403, code: "FORBIDDEN" }, [
      reader,
    ]);
  });
});

describe("a path or query that cannot be answered is refused", () => {
  const cases: [name: string, path: () => string, refusal: Refusal][] = [
    ["an empty user", () => "/debug/notification/inbox/", notFound],
    ["a blank user", () => "/debug/notification/inbox/%20", invalid("/user_id")],
    ["a way up", () => "/debug/notification/inbox/..%2f..%2fetc", invalid("/user_id")],
    ["a way up, backwards", () => "/debug/notification/inbox/a%5c..", invalid("/user_id")],
    ["a dot at the end of a user's inbox", () => "/ops/users/x%2F./inbox", invalid("/user_id")],
    ["half a character", () => "/ops/users/%E3%81/inbox", invalid()],
    ["U+0000", () => "/debug/notification/inbox/a%00b", invalid("/user_id")],
    ["201 characters", () => `/debug/notification/inbox/${"a".repeat(201)}`, invalid("/user_id")],
    ["10 kB", () => `/debug/notification/inbox/${"a".repeat(10_000)}`, { status: 414, code: "URI_TOO_LONG" }],
    ["a notification that is no UUID", () => "/ops/notifications/1", invalid("/notification_id")],
    ["a notification that does not exist", () => `/ops/notifications/${unknown}`, notFound],
    ["a letter that is no UUID", () => "/ops/raw-dead-letters/dead", invalid("/id")],
    ["a letter that does not exist", () => `/ops/raw-dead-letters/${unknown}`, notFound],
    ["an unknown parameter", () => `${inbox}?status=SENT`, invalid("/status")],
    ["a parameter twice", () => `${inbox}?limit=1&limit=1`, invalid()],
    ...[inbox, "/ops/notifications/dead", "/ops/raw-dead-letters"].flatMap(path =>
      ["0", "-1", "201", "1000000", "x"].map(
        limit => [`${path} limit=${limit}`, () => `${path}?limit=${limit}`, invalid("/limit")] as [string, () => string, Refusal],
      ),
    ),
    ["a made-up cursor", () => `${inbox}?cursor=${btoa(unknown)}`, invalid()],
    ["a tampered cursor", () => `${inbox}?cursor=${cursors.get("inbox")!.replace(/.$/, last => (last === "A" ? "B" : "A"))}`, invalid()],
    ["the cursor of another user's inbox", () => `/debug/notification/inbox/bob?cursor=${cursors.get("inbox")}`, invalid()],
    ["the cursor of another list", () => `/ops/notifications/dead?cursor=${cursors.get("inbox")}`, invalid()],
  ];
  test.each(cases)("%s", async (_, path, refusal) => expectRefusal(await ask(path()), refusal));

  test("the cursor that was given works", async () => {
    expect(JSON.parse((await ask(`${inbox}?cursor=${cursors.get("inbox")}`)).text).notifications).toHaveLength(1);
  });
});

describe("a body that cannot be taken is refused", () => {
  const cases: [name: string, body: Body, refusal: Refusal][] = [
    ["empty", "", invalid()],
    ["malformed", "{", invalid()],
    ["null", "null", invalid()],
    ["a list", "[]", invalid()],
    ["no reason", "{}", invalid("/reason")],
    ["a reason that is a number", '{"reason":1}', invalid("/reason")],
    ["a blank reason", '{"reason":"\\t"}', invalid("/reason")],
    ["a reason of 501 characters", JSON.stringify({ reason: "x".repeat(501) }), invalid("/reason")],
    ["a reason with U+0000", '{"reason":"a\\u0000"}', invalid("/reason")],
    ["a reason with half a character", '{"reason":"\\udfff"}', invalid("/reason")],
    ["a reason twice", '{"reason":"a","reason":"b"}', invalid()],
    ["more than a reason", '{"reason":"r","filter":{}}', invalid("/filter")],
    ["__proto__", '{"reason":"r","__proto__":{}}', invalid("/__proto__")],
    ["10,000 deep", `{"reason":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, invalid()],
    ["over 64 KiB", JSON.stringify({ reason: "x".repeat(65_536) }), { status: 413, code: "BODY_TOO_LARGE" }],
    ["a byte order mark", '\ufeff{"reason":"r"}', invalid()],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), invalid()],
    ["good, for what does not exist", '{"reason":"r"}', notFound],
  ];
  test.each(cases)("%s", async (_, body, refusal) => {
    for (const path of writes) expectRefusal(await send(path, body), refusal);
  });

  test.each(["utf-16", "iso-8859-1", '"UTF-16"', "", "utf-8x"])("JSON with the charset %j", async charset => {
    for (const path of writes)
      expectRefusal(
        await ask(path, { method: "POST", body: '{"reason":"r"}', headers: { "content-type": `application/json; charset=${charset}` } }),
        { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
      );
  });
  test("a form", async () => {
    for (const path of writes)
      expectRefusal(await ask(path, { method: "POST", body: new URLSearchParams({ reason: "r" }) }), {
        status: 415,
        code: "UNSUPPORTED_MEDIA_TYPE",
      });
  });
  test("a fault switch that is no text", async () => {
    expectRefusal(await send("/debug/faults", '{"user_prefix":true}', "PUT"), invalid("/user_prefix"));
    expectRefusal(await send("/debug/faults", "{}", "PUT"), invalid("/user_prefix"));
  });
});

test("a method that the path does not take is refused with those it takes", async () => {
  for (const path of reads) {
    for (const method of ["DELETE", "OPTIONS"]) {
      const answer = await ask(path, { method });
      expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED" });
      expect(answer.headers.get("allow")).toBe("GET, HEAD");
    }
  }
});

test("a notification that has not failed is not requeued, and no action is recorded", async () => {
  const [row] = await kenri.notificationSql`select notification_id from notifications limit 1`;
  expectRefusal(await send(`/ops/notifications/${row?.notification_id}/requeue`, '{"reason":"r"}'), { status: 409, code: "NOT_FAILED" });
  const [actions] = await kenri.notificationSql`select count(*) as rows from operator_actions`;
  expect(actions?.rows).toBe(0);
});

test("the server logged no unexpected error, and no key", async () => {
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  expect(server.lines.join("\n")).not.toContain(kenri.key.split("_").slice(2).join("_"));
  expect(await kenri.metric("notification", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
});

test("the debug inbox and the fault switch do not exist in production, unless the inbox is switched on", async () => {
  const nats = new URL(kenri.environment.NATS_URL!);
  if (!nats.username) Object.assign(nats, { username: "test", password: "test" }); // production asks for credentials; this server does not
  const production = { KENRI_ENV: "production", NATS_URL: nats.href };
  await kenri.start("notification:api", production);
  expectRefusal(await ask(inbox), notFound);
  expectRefusal(await send("/debug/faults", '{"user_prefix":"a"}', "PUT"), notFound);
  await kenri.start("notification:api", { ...production, DEBUG_INBOX: "true" });
  expect((await ask(inbox)).status).toBe(200);
});
