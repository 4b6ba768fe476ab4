import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { outboxRows } from "../../entitlement/operator/row_kind.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import type { RoleAnswer } from "../../testing/pausing.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
let people: ReturnType<typeof operators>;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("entitlement:api");
  people = operators(kenri, mint, { system: "entitlement", kind: outboxRows.name });
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});
beforeEach(async () => {
  await kenri.entitlementSql`delete from paused_roles`;
  await kenri.entitlementSql`delete from operator_actions`;
});

const act = (who: string, action: string, body: unknown = { reason: "maintenance" }, role = "relay") =>
  people.post(who, `/ops/roles/${role}/${action}`, body);
const audit = () =>
  kenri.entitlementSql<{ actor: string; action: string; subject: string; reason: string; detail: { paused_by?: string } }[]>`
    select actor, action, subject, reason, detail from operator_actions order by action_id`;
const stored = () => kenri.entitlementSql`select role, paused_by, reason from paused_roles`;

test("a pause says who, since when and why; a second one changes nothing; a resume ends it; each change has one row in the audit", async () => {
  const first = await act("OPERATOR", "pause");
  const pause = JSON.parse(first.text) as RoleAnswer;
  expect([first.status, pause]).toEqual([
    200,
    {
      role: "entitlement:relay",
      means: expect.stringContaining("Grants"),
      paused: { paused_at: expect.any(String), paused_by: "user:operator", reason: "maintenance" },
    },
  ] as never);
  const again = await act("ADMIN", "pause", { reason: "another" });
  expect([again.status, JSON.parse(again.text)]).toEqual([200, pause]);
  const list = JSON.parse((await people.ask("VIEWER", "GET", "/ops/pauses")).text);
  expect(list).toEqual({ roles: [pause] });
  const health = JSON.parse((await people.ask("VIEWER", "GET", "/ops/health")).text);
  expect(health.paused).toEqual([{ role: pause.role, ...pause.paused }]);
  expect(await kenri.metric("entitlement", "kenri_paused", 'role="entitlement:relay"')).toBe(1);

  expect(JSON.parse((await act("ADMIN", "resume", { reason: "done" })).text).paused).toBeNull();
  expect((await act("ADMIN", "resume", { reason: "done" })).status).toBe(200);
  expect(await kenri.metric("entitlement", "kenri_paused", 'role="entitlement:relay"')).toBe(0);
  expect((await audit()).map(({ actor, action, subject, reason, detail }) => [actor, action, subject, reason, detail.paused_by])).toEqual([
    ["user:operator", "role.pause", "entitlement:relay", "maintenance", undefined],
    ["user:admin", "role.resume", "entitlement:relay", "done", "user:operator"],
  ]);
});

test.each([
  ["a viewer", "VIEWER", "relay", { reason: "r" }, 403],
  ["a user", "USER", "relay", { reason: "r" }, 403],
  ["a key without ops:write", "key", "relay", { reason: "r" }, 403],
  ["an unknown role", "OPERATOR", "sender", { reason: "r" }, 404],
  ["a role that cannot be paused", "OPERATOR", "janitor", { reason: "r" }, 404],
  ["no reason", "OPERATOR", "relay", {}, 400],
  ["a blank reason", "OPERATOR", "relay", { reason: " " }, 400],
  ["a reason that is too long", "OPERATOR", "relay", { reason: "r".repeat(201) }, 400],
  ["an unknown member", "OPERATOR", "relay", { reason: "r", role: "janitor" }, 400],
])("refused, and nothing changes: %s", async (_, who, role, body, status) => {
  const caller = who === "key" ? await kenri.newKey("reader", ["ops:read"]) : who;
  for (const action of ["pause", "resume"]) expect((await act(caller, action, body, role)).status).toBe(status);
  expect([(await stored()).length, (await audit()).length]).toEqual([0, 0]);
});

test("two operators who pause and resume at once end in one state, and the audit tells how", async () => {
  for (let round = 0; round < 5; round++)
    await Promise.all(["OPERATOR", "ADMIN"].flatMap(who => ["pause", "resume"].map(action => act(who, action, { reason: who }))));
  const actions = (await audit()).map(({ action }) => action);
  // They take turns: no pause of what was paused, no resume of what ran.
  expect(actions).toEqual(actions.map((_, index) => (index % 2 === 0 ? "role.pause" : "role.resume")));
  expect((await stored()).length).toBe(actions.length % 2);
});

test("while the database is away a pause is refused and the last known state holds; then it can be set", async () => {
  await act("OPERATOR", "pause");
  const [{ name, app } = { name: "", app: "" }] = await kenri.entitlementSql<{ name: string; app: string }[]>`
    select current_database() as name, usename as app from pg_stat_activity where datname = current_database() and usename <> current_user limit 1`;
  const admin = kenri.entitlementSql;
  await admin.unsafe(`alter database "${name}" connection limit 0`);
  try {
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = ${app}`;
    expect((await act("OPERATOR", "resume")).status).toBe(503);
    expect(await kenri.metric("entitlement", "kenri_paused", 'role="entitlement:relay"')).toBe(1);
  } finally {
    await admin.unsafe(`alter database "${name}" connection limit -1`);
  }
  await until("it can be resumed", 20_000, async () => (await act("OPERATOR", "resume")).status === 200);
  await until("the gauge follows", 5000, async () => (await kenri.metric("entitlement", "kenri_paused")) === 0);
  expect((await audit()).map(({ action }) => action)).toEqual(["role.pause", "role.resume"]);
});
