import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { putEvent, putNotification } from "../../testing/operator_rows.ts";
import type { TestProcess } from "../../testing/process.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
let server: TestProcess;
let eventId: string;
let notificationId: string;
let letterId: string;
const keys = new Map<string, string>();
const row = { state: "failed", user: "alice", error: "e", minutes: 5 } as const;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  server = await kenri.start("entitlement:api notification:api");
  keys.set("reader", await kenri.newKey("reader", ["ops:read"]));
  keys.set("stranger", await kenri.newKey("stranger", ["entitlements:read", "entitlements:write", "ops:write"]));
  eventId = await putEvent(kenri.entitlementSql, row);
  notificationId = await putNotification(kenri.notificationSql, row);
  for (const [sql, subject] of [
    [kenri.entitlementSql, eventId],
    [kenri.notificationSql, notificationId],
  ] as const)
    for (const n of [1, 2, 3])
      await sql`insert into operator_actions (actor, action, subject, reason, detail)
        values ('user:otto', 'test', ${subject}, ${`reason ${n}`}, ${sql.json({ n, payload: { user_id: "alice" } })})`;
  const [letter] =
    await kenri.notificationSql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, event_id, reason)
    values ('s', 1, 'sub', '{"aggregate_key": "alice:item1"}', '\\x616c696365', ${eventId}, 'r') returning id`;
  letterId = letter?.id;
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

type System = "entitlement" | "notification";
const systems: System[] = ["entitlement", "notification"];
const rowsOf = (system: System) => (system === "entitlement" ? "/ops/outbox" : "/ops/notifications");
const idOf = (system: System) => (system === "entitlement" ? eventId : notificationId);

async function ask(system: System, path: string, authorization = `Bearer ${kenri.key}`) {
  const response = await kenri.call(system, path, { headers: { authorization } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const asPerson = async (system: System, path: string, ...roles: string[]) =>
  ask(system, path, `Bearer ${await mint.token(system, "vera", roles)}`);

const paths = (system: System) => [
  rowsOf(system),
  `${rowsOf(system)}/counts`,
  `${rowsOf(system)}/groups`,
  `${rowsOf(system)}/${idOf(system)}`,
  `/ops/journey/${idOf(system)}`,
  "/ops/actions",
];

describe.each(systems)("who may read %s", system => {
  test.each([
    ["a viewer", ["VIEWER"], 200],
    ["an operator", ["OPERATOR"], 200],
    ["an admin", ["USER", "ADMIN"], 200],
    ["no user", ["USER"], 403],
    ["nobody without a role", [], 403],
    ["not the gateway by itself", ["GATEWAY"], 403],
    ["no role that is nearly one", ["viewer", "ROOT"], 403],
  ])("%s", async (_, roles, status) => {
    for (const path of paths(system)) expect({ path, status: (await asPerson(system, path, ...roles)).status }).toEqual({ path, status });
  });

  test("keys with the scope, no others, and no stranger, on every path", async () => {
    for (const path of paths(system)) {
      expect((await ask(system, path, `Bearer ${keys.get("reader")}`)).status).toBe(200);
      expectRefusal(await ask(system, path, `Bearer ${keys.get("stranger")}`), { status: 403, code: "FORBIDDEN" });
      for (const query of ["", "?status=NONSENSE"])
        expectRefusal(await ask(system, `${path}${query}`, ""), { status: 401, code: "UNAUTHORIZED" });
    }
  });

  test("nothing there can be written to", async () => {
    for (const path of paths(system)) {
      const response = await kenri.call(system, path, { method: "DELETE" });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
  });
});

describe.each(systems)("%s refuses bad parameters and names them", system => {
  const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer ? { pointer } : {}) });
  const values: [name: string, values: readonly string[]][] = [
    ["type", ["", "MatchLost", "entitlementgranted", "EntitlementGranted,EntitlementRevoked", "*"]],
    ["user_id", ["", " ", "x".repeat(201), "a\0b"]],
    ["error", ["", "\t", "x".repeat(201), "a\0b"]],
    ["fingerprint", ["", "x".repeat(201), "\0"]],
    ["min_attempts", ["", "0", "-1", "101", "1.0", "1e1", "+1", " 1", "NaN", "１"]],
    ...(["created_from", "created_to"] as const).map(
      name =>
        [
          name,
          [
            "",
            "now",
            "infinity",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "1767225600",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00+15:00",
            "0000-01-01T00:00:00Z",
            "2026-01-01T00:00:00.1234567Z",
            "2026-01-01T00:00:00Z'; --",
          ],
        ] as [string, readonly string[]],
    ),
    ["filter", ["all"]],
    ["__proto__", ["1"]],
  ];
  const cases = values.flatMap(([name, bad]) => bad.map(value => [name, value] as const));
  test.each(cases)("%s=%j, in lists, counts and groups", async (name, value) => {
    for (const below of ["", "/counts", "/groups"])
      expectRefusal(await ask(system, `${rowsOf(system)}${below}?${new URLSearchParams({ [name]: value })}`), invalid(`/${name}`));
  });

  test.each([
    "",
    "failed",
    "DEAD",
    "FAILED,PENDING",
    "null",
    system === "entitlement" ? "SENT" : "PUBLISHED",
    system === "entitlement" ? "PROCESSING" : "IN_FLIGHT",
    "UNCONFIRMED",
  ])("status=%j", async status => {
    for (const below of ["", "/counts", "/groups"])
      expectRefusal(await ask(system, `${rowsOf(system)}${below}?status=${status}`), invalid("/status"));
  });

  const others: [path: () => string, refusal: Refusal][] = [
    [() => `${rowsOf(system)}?status=FAILED&status=PENDING`, invalid()],
    [() => `${rowsOf(system)}?error=%E3%81`, invalid()],
    [() => `${rowsOf(system)}?limit=0`, invalid("/limit")],
    [() => `${rowsOf(system)}?limit=201`, invalid("/limit")],
    [() => `${rowsOf(system)}?cursor=AAAA`, invalid()],
    [() => `${rowsOf(system)}/counts?status=FAILED`, invalid("/status")],
    [() => `${rowsOf(system)}/counts?limit=1`, invalid("/limit")],
    [() => `${rowsOf(system)}/groups?status=PENDING`, invalid("/status")],
    [() => `${rowsOf(system)}/groups?sort=failed`, invalid("/sort")],
    [() => `${rowsOf(system)}/counts?status=RETRYING`, invalid("/status")],
    ...["", "Failed", "failed_at", "-failed", "status", "failed,created", "1"].map(
      sort => [() => `${rowsOf(system)}?status=FAILED&sort=${sort}`, invalid("/sort")] as [() => string, Refusal],
    ),
    [() => `${rowsOf(system)}?sort=failed`, invalid("/sort")],
    [() => `${rowsOf(system)}?status=PENDING&sort=attempts`, invalid("/sort")],
    [() => `${rowsOf(system)}?status=RETRYING&sort=failed`, invalid("/sort")],
    [() => `${rowsOf(system)}?status=FAILED&user_id=alice&sort=failed`, invalid("/sort")],
    [() => `${rowsOf(system)}/groups?cursor=AAAA`, invalid("/cursor")],
    [() => "/ops/actions?subject=", invalid("/subject")],
    [() => "/ops/actions?person=otto", invalid("/person")],
    [() => "/ops/actions?cursor=AAAA", invalid()],
    [() => `/ops/journey/${"x".repeat(256)}`, invalid("/id")],
    [() => "/ops/journey/%20", invalid("/id")],
    [() => "/ops/journey/a%00b", invalid("/id")],
    [() => "/ops/journey/", { status: 404, code: "NOT_FOUND" }],
  ];
  test.each(others.map(([path, refusal]) => [path(), path, refusal] as const))("%s", async (_, path, refusal) =>
    expectRefusal(await ask(system, path()), refusal),
  );
});

describe.each(systems)("payloads in %s", system => {
  const payloadAt = {
    detail: [`${rowsOf(system)}/`, (body: { payload: unknown }) => body.payload],
    journey: [
      "/ops/journey/",
      (body: { events?: { payload: unknown }[]; notifications?: { payload: unknown }[] }) =>
        (body.events ?? body.notifications)?.[0]?.payload,
    ],
  } as const;
  test.each(["detail", "journey"] as const)("are masked in the %s for viewers, and its own ids stay", async place => {
    const [path, payload] = payloadAt[place];
    const seen = async (...roles: string[]) => JSON.parse((await asPerson(system, `${path}${idOf(system)}`, ...roles)).text);
    expect(payload(await seen("OPERATOR"))).toMatchObject({ user_id: "alice", version: 1 });
    const masked = await seen("USER", "VIEWER");
    expect(payload(masked)).toMatchObject({ user_id: "•••", version: 1 });
    expect(JSON.stringify(masked)).toContain(idOf(system));
    expect(JSON.stringify(masked)).toContain('"user_id":"alice"');
  });

  test("are masked in the audit of what people did", async () => {
    const of = async (role: string) => JSON.parse((await asPerson(system, "/ops/actions", role)).text).actions[0].detail;
    expect(await of("VIEWER")).toEqual({ n: 3, payload: { user_id: "•••" } });
    expect(await of("ADMIN")).toEqual({ n: 3, payload: { user_id: "alice" } });
  });
});

test("a viewer sees neither the bytes of a raw dead letter nor the payloads of the debug inbox", async () => {
  const see = async (path: string, role: string) => JSON.parse((await asPerson("notification", path, role)).text);
  expect(await see(`/ops/raw-dead-letters/${letterId}`, "VIEWER")).toMatchObject({
    data: "•••",
    headers: { aggregate_key: "•••" },
    subject: "sub",
  });
  expect(await see(`/ops/raw-dead-letters/${letterId}`, "OPERATOR")).toMatchObject({
    data: "616c696365",
    headers: { aggregate_key: "alice:item1" },
  });
  const inbox = "/debug/notification/inbox/alice";
  expect((await see(inbox, "VIEWER")).notifications[0]).toMatchObject({ notification_id: notificationId, payload: { user_id: "•••" } });
  expect((await see(inbox, "OPERATOR")).notifications[0].payload).toMatchObject({ user_id: "alice" });
});

test.each(systems)(
  "what people did in %s is listed newest first, page by page, of all or of one row, and in the row's detail",
  async system => {
    const get = async (query: string) => JSON.parse((await ask(system, `/ops/actions?${query}`)).text);
    const reasons = (actions: { reason: string }[]) => actions.map(action => action.reason);
    const first = await get("limit=2");
    expect(reasons(first.actions)).toEqual(["reason 3", "reason 2"]);
    expect(reasons((await get(`limit=2&cursor=${first.next_cursor}`)).actions)).toEqual(["reason 1"]);
    const one = await get(`subject=${idOf(system)}&limit=1`);
    expect(one.actions).toMatchObject([{ actor: "user:otto", action: "test", subject: idOf(system), reason: "reason 3" }]);
    expect(reasons((await get(`subject=${idOf(system)}&cursor=${one.next_cursor}`)).actions)).toEqual(["reason 2", "reason 1"]);
    expect(await get("subject=nobody")).toEqual({ actions: [] });
    expectRefusal(await ask(system, `/ops/actions?subject=other&cursor=${one.next_cursor}`), { status: 400, code: "INVALID_REQUEST" });
    const detail = JSON.parse((await ask(system, `${rowsOf(system)}/${idOf(system).toUpperCase()}`)).text);
    expect(reasons(detail.actions)).toEqual(["reason 3", "reason 2", "reason 1"]);
  },
);

test("the servers logged no unexpected error", async () => {
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
  for (const system of systems) expect(await kenri.metric(system, "kenri_http_request_seconds_count", 'status="5')).toBe(0);
});
