import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { putDelivered } from "../../testing/inbox.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { TestProcess } from "../../testing/process.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let kenri: TestKenri;
let mint: TestMint;
let server: TestProcess;
const cursors = { all: "", unread: "" };
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({ LOG_LEVEL: "debug", GATEWAY_JWKS_URL: mint.jwksUrl });
  server = await kenri.start("notification:api");
  await putDelivered(kenri.notificationSql, "alice", 3);
  const cursorOf = async (query: string) => JSON.parse((await as("alice", `${alice}?limit=1${query}`)).text).next_cursor as string;
  cursors.all = await cursorOf("");
  cursors.unread = await cursorOf("&unread=true");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

const alice = "/v1/users/alice/notifications";
const routes: [method: string, path: string, body?: string][] = [
  ["GET", alice],
  ["GET", `${alice}/feed?after=0`],
  ["POST", `${alice}/read`, '{"up_to":3}'],
];
const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
const unauthorized: Refusal = { status: 401, code: "UNAUTHORIZED" };
const forbidden: Refusal = { status: 403, code: "FORBIDDEN" };

async function ask(path: string, authorization: string, init: RequestInit = {}, headers: Record<string, string> = {}) {
  const response = await kenri.call("notification", path, {
    ...init,
    headers: { "content-type": "application/json", authorization, ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const as = async (user: string, path: string, init?: RequestInit) => ask(path, `Bearer ${await mint.token("notification", user)}`, init);
const send = (body: NonNullable<RequestInit["body"]>) => as("alice", `${alice}/read`, { method: "POST", body });
const unreadOfAlice = async () =>
  (await kenri.notificationSql`select from notifications where user_id = 'alice' and read_at is null`).length;

describe.each(routes)("%s %s is for the user alone", (method, path, body) => {
  const init: RequestInit = { method, ...(body ? { body } : {}) };
  const now = () => Math.floor(Date.now() / 1000);
  const cases: [name: string, authorization: () => Promise<string> | string, refusal: Refusal][] = [
    ["nobody", () => "", unauthorized],
    ["something that is no credential", () => "Bearer alice", unauthorized],
    ["a token for another service", async () => `Bearer ${await mint.token("entitlement", "alice")}`, unauthorized],
    [
      "a token that has expired",
      async () =>
        `Bearer ${await mint.forge({ iss: "kenri-gateway", aud: "notification", sub: "alice", roles: ["USER"], iat: now() - 90, exp: now() - 60 })}`,
      unauthorized,
    ],
    ["another user", async () => `Bearer ${await mint.token("notification", "bob")}`, forbidden],
    ["one whose name begins the same", async () => `Bearer ${await mint.token("notification", "alice2")}`, forbidden],
    ["an administrator", async () => `Bearer ${await mint.token("notification", "root", ["USER", "OPERATOR", "ADMIN"])}`, forbidden],
    ["the gateway itself", async () => `Bearer ${await mint.token("notification", "gateway", ["GATEWAY"])}`, forbidden],
    ["an API key with every scope", () => `Bearer ${kenri.key}`, forbidden],
  ];
  test.each(cases)("%s", async (_, authorization, refusal) => {
    expectRefusal(await ask(path, await authorization(), init), refusal, [kenri.key]);
    expectRefusal(await ask(path, await authorization(), init, { "x-user-id": "alice" }), refusal, [kenri.key]);
    expect(await unreadOfAlice()).toBe(3);
  });
});

describe("a path or query that cannot be answered is refused", () => {
  const cases: [name: string, path: () => string, refusal: Refusal][] = [
    ["an unknown parameter", () => `${alice}?status=SENT`, invalid("/status")],
    ["a parameter twice", () => `${alice}?limit=1&limit=1`, invalid()],
    ...["0", "-1", "201", "1e2", "x", ""].flatMap(limit => [
      [`limit=${limit}`, () => `${alice}?limit=${limit}`, invalid("/limit")] as [string, () => string, Refusal],
      [`feed limit=${limit}`, () => `${alice}/feed?after=0&limit=${limit}`, invalid("/limit")] as [string, () => string, Refusal],
    ]),
    ...["yes", "1", "", "TRUE"].map(
      unread => [`unread=${unread}`, () => `${alice}?unread=${unread}`, invalid("/unread")] as [string, () => string, Refusal],
    ),
    ["a feed after nothing", () => `${alice}/feed`, invalid("/after")],
    ...["", "-1", "1.5", "01", "1e3", "x", "9007199254740993", "%00", "1%20"].map(
      after => [`after=${after}`, () => `${alice}/feed?after=${after}`, invalid("/after")] as [string, () => string, Refusal],
    ),
    ["a feed with a cursor", () => `${alice}/feed?after=0&cursor=${cursors.all}`, invalid("/cursor")],
    ["a made-up cursor", () => `${alice}?cursor=${btoa("2")}`, invalid()],
    ["a tampered cursor", () => `${alice}?cursor=${cursors.all.replace(/^./, one => (one === "A" ? "B" : "A"))}`, invalid()],
    ["the cursor of all in the list of unread ones", () => `${alice}?unread=true&cursor=${cursors.all}`, invalid()],
    ["the cursor of unread ones in the list of all", () => `${alice}?cursor=${cursors.unread}`, invalid()],
  ];
  test.each(cases)("%s", async (_, path, refusal) => expectRefusal(await as("alice", path()), refusal));

  test.each([
    ["a blank user", " ", "%20"],
    ["U+0000", "a\0b", "a%00b"],
    ["201 characters", "a".repeat(201), "a".repeat(201)],
    ["a way up", "../x", "..%2fx"],
  ])("%s", async (_, user, encoded) => expectRefusal(await as(user, `/v1/users/${encoded}/notifications`), invalid("/user_id")));

  test("the cursor of another user", async () => {
    expectRefusal(await as("bob", `/v1/users/bob/notifications?cursor=${cursors.all}`), invalid());
  });

  test("the cursors that were given work", async () => {
    expect(JSON.parse((await as("alice", `${alice}?cursor=${cursors.all}`)).text).notifications).toHaveLength(2);
    expect(JSON.parse((await as("alice", `${alice}?unread=true&cursor=${cursors.unread}`)).text).notifications).toHaveLength(2);
  });
});

describe("a body that cannot be taken is refused, and marks nothing", () => {
  const id = crypto.randomUUID();
  const cases: [name: string, body: string, refusal: Refusal][] = [
    ["empty", "", invalid()],
    ["malformed", "{", invalid()],
    ["null", "null", invalid()],
    ["a list", `["${id}"]`, invalid()],
    ["neither", "{}", invalid()],
    ["both", `{"notification_ids":["${id}"],"up_to":3}`, invalid()],
    ["no ids", '{"notification_ids":[]}', invalid("/notification_ids")],
    ["201 ids", JSON.stringify({ notification_ids: Array(201).fill(id) }), invalid("/notification_ids")],
    ["an id that is none", '{"notification_ids":["1"]}', invalid("/notification_ids/0")],
    ["an id that is a number", '{"notification_ids":[1]}', invalid("/notification_ids/0")],
    ["ids that are one text", `{"notification_ids":"${id}"}`, invalid("/notification_ids")],
    ["ids that are null", '{"notification_ids":null}', invalid("/notification_ids")],
    ["up to a text", '{"up_to":"3"}', invalid("/up_to")],
    ["up to less than nothing", '{"up_to":-1}', invalid("/up_to")],
    ["up to a part", '{"up_to":1.5}', invalid("/up_to")],
    ["up to 2^53 + 1", '{"up_to":9007199254740993}', invalid()],
    ["up to 1e400", '{"up_to":1e400}', invalid()],
    ["up to null", '{"up_to":null}', invalid("/up_to")],
    ["up to twice", '{"up_to":1,"up_to":3}', invalid()],
    ["an unknown field", '{"up_to":3,"all":true}', invalid("/all")],
    ["__proto__", '{"up_to":3,"__proto__":{}}', invalid()],
    ["over 64 KiB", JSON.stringify({ up_to: 3, x: "x".repeat(65_536) }), { status: 413, code: "BODY_TOO_LARGE" }],
  ];
  test.each(cases)("%s", async (_, body, refusal) => {
    expectRefusal(await send(body), refusal);
    expect(await unreadOfAlice()).toBe(3);
  });
});

test("a method that the path does not take is refused with those it takes", async () => {
  for (const [path, allow] of [
    [alice, "GET, HEAD"],
    [`${alice}/feed`, "GET, HEAD"],
    [`${alice}/read`, "POST"],
  ] as const) {
    const answer = await as("alice", path, { method: "DELETE" });
    expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.get("allow")).toBe(allow);
  }
});

test("nothing surprised the server", async () => {
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  expect(await kenri.metric("notification", "kenri_http_request_seconds_count", 'status="5')).toBe(0);
});
