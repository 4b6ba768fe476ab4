import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { becomes, until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

interface Step {
  readonly count: number;
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
}
type Minute = { readonly minute: string } & Record<string, Step>;
interface Series {
  readonly from: string;
  readonly to: string;
  readonly minutes: readonly Minute[];
}
interface Part {
  readonly name: string;
  readonly state: string;
  readonly detail: string | null;
}
interface Health {
  readonly dependencies: readonly Part[];
  readonly workers: readonly Part[];
  readonly processes: readonly { readonly role: string; readonly troubles: object }[];
  readonly breakers: readonly Part[];
  readonly consumers: readonly { readonly source: string; readonly state: string; readonly pending: number | null }[];
  readonly paused: readonly unknown[];
}
type System = "entitlement" | "notification";
const systems: System[] = ["entitlement", "notification"];
const stepsOf = { entitlement: ["changed", "published", "retried", "failed"], notification: ["taken_in", "sent", "retried", "failed"] };

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri(
    { FLOW_EVERY: "100ms", NOTIFICATION_MAX_ATTEMPTS: "2", FAULT_USER_PREFIX: "unlucky", OUTBOX_MAX_ATTEMPTS: "2" },
    undefined,
    mint,
  );
  await kenri.start("entitlement notification");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

async function ask<T>(system: System, path: string): Promise<T> {
  const response = await kenri.call(system, path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
const total = ({ minutes }: Series, step: string) => minutes.reduce((sum, minute) => sum + minute[step]!.count, 0);
async function totals(system: System): Promise<Record<string, number>> {
  const series = await ask<Series>(system, "/ops/flow?minutes=10");
  return Object.fromEntries(stepsOf[system].map(step => [step, total(series, step)]));
}

test("each step counts an event once: replays, refusals and failed attempts are no changes", async () => {
  for (const user of ["ann", "ben", "unlucky-1"]) expect((await kenri.grant(user, "sword", { key: `key-${user}` })).status).toBe(200);
  expect((await kenri.grant("ann", "sword", { key: "key-ann" })).status).toBe(200);
  expect((await kenri.grant("ben", "sword")).status).toBe(409);
  const wanted = {
    entitlement: { changed: 3, published: 2, retried: 1, failed: 1 },
    notification: { taken_in: 2, sent: 2, retried: 0, failed: 0 },
  };
  for (const system of systems) {
    await becomes(15_000, async () => Bun.deepEquals(await totals(system), wanted[system]), 200);
    expect(await totals(system)).toEqual(wanted[system]);
  }
  const { slowest } = await ask<{ slowest: Record<string, { id: string; took_ms: number }> }>("notification", "/ops/flow/slowest");
  const [example] = await kenri.notificationSql`select user_id from notifications where event_id = ${slowest.sent!.id}`;
  expect(["ann", "ben"]).toContain(example!.user_id);
  const { minutes } = await ask<Series>("notification", "/ops/flow?minutes=10");
  const sent = minutes.map(minute => minute.sent!).filter(({ count }) => count > 0);
  for (const { p50_ms, p99_ms } of sent) {
    expect(p50_ms).toBeGreaterThanOrEqual(1);
    expect(p99_ms).toBeGreaterThanOrEqual(p50_ms!);
    expect(p99_ms).toBeLessThan(15_000);
  }
});

describe.each(systems)("the series of %s", system => {
  test.each([1, 60, 1440])("has each of %d minutes up to the present one", async many => {
    const { from, to, minutes } = await ask<Series>(system, `/ops/flow?minutes=${many}`);
    expect([minutes.length, minutes[0]!.minute, minutes.at(-1)!.minute]).toEqual([many, from, to]);
    expect(Math.abs(Date.parse(to) - Date.now())).toBeLessThan(65_000);
    expect(Date.parse(to) - Date.parse(from)).toBe((many - 1) * 60_000);
    for (const minute of minutes) expect(Object.keys(minute)).toEqual(["minute", ...stepsOf[system]]);
  });

  test("has an hour by default", async () => expect((await ask<Series>(system, "/ops/flow")).minutes.length).toBe(60));

  test.each([
    ["no minutes", "minutes=0", "/minutes"],
    ["too many", "minutes=1441", "/minutes"],
    ["far too many", "minutes=99999999999999999999", "/minutes"],
    ["fewer than none", "minutes=-5", "/minutes"],
    ["half of one", "minutes=1.5", "/minutes"],
    ["words", "minutes=an+hour", "/minutes"],
    ["nothing", "minutes=", "/minutes"],
    ["an unknown parameter", "hours=1", "/hours"],
  ])("refuses %s", async (_, query, pointer) => {
    const response = await kenri.call(system, `/ops/flow?${query}`);
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    expectRefusal(answer, { status: 400, code: "INVALID_REQUEST", pointer });
  });
});

describe.each(["/ops/flow", "/ops/flow/slowest", "/ops/health"])("%s is for viewers, operators and admins", path => {
  test.each([
    ["a viewer", ["VIEWER"], 200],
    ["an operator", ["OPERATOR"], 200],
    ["no user", ["USER"], 403],
    ["nobody without a role", [], 403],
  ])("%s", async (_, roles, status) => {
    for (const system of systems) {
      const authorization = `Bearer ${await mint.token(system, "vera", roles)}`;
      expect((await kenri.call(system, path, { headers: { authorization } })).status).toBe(status);
    }
  });

  test("no stranger, and no key without the scope", async () => {
    const key = await kenri.newKey("stranger", ["entitlements:read", "ops:write"]);
    for (const system of systems) {
      expect((await kenri.call(system, path, { headers: { authorization: "" } })).status).toBe(401);
      expect((await kenri.call(system, path, { headers: { authorization: `Bearer ${key}` } })).status).toBe(403);
      expect((await kenri.call(system, path, { method: "POST" })).status).toBe(405);
    }
  });
});

test("the health of a system names its parts, and how far its consumers are", async () => {
  const ok = (name: string) => ({ name, state: "ok", detail: null });
  await until("both are well", 10_000, async () => {
    const all = await Promise.all(systems.map(system => ask<Health>(system, "/ops/health")));
    return all.every(({ dependencies, workers }) => [...dependencies, ...workers].every(({ state }) => state === "ok"));
  });
  const running = (role: string) => expect.objectContaining({ role, troubles: {} });
  const inOrder = async (system: System) => {
    const { processes, ...rest } = await ask<Health>(system, "/ops/health");
    const roles = rest.workers.map(({ name }) => name);
    return { ...rest, processes: processes.toSorted((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role)) };
  };
  for (const [system, many] of [
    ["notification", 3],
    ["entitlement", 2],
  ] as const)
    await until("all have reported that they are well", 15_000, async () => {
      const { processes } = await inOrder(system);
      return processes.length === many && processes.every(({ troubles }) => Object.keys(troubles).length === 0);
    });
  expect(await inOrder("entitlement")).toEqual({
    dependencies: [ok("database"), ok("broker")],
    workers: [ok("entitlement:relay"), ok("entitlement:janitor")],
    processes: [running("entitlement:relay"), running("entitlement:janitor")],
    breakers: [ok("publish")],
    consumers: [],
    paused: [],
  });
  expect(await inOrder("notification")).toEqual({
    dependencies: [ok("database"), ok("broker")],
    workers: [ok("notification:sender"), ok("notification:consumer"), ok("notification:janitor")],
    processes: [running("notification:sender"), running("notification:consumer"), running("notification:janitor")],
    breakers: [],
    consumers: [
      {
        source: "entitlement",
        stream: kenri.environment.ENTITLEMENT_STREAM!,
        state: "reading",
        pending: 0,
        ack_pending: 0,
        redelivered: 0,
      },
      {
        source: "matchmaking",
        stream: kenri.environment.MATCHMAKING_STREAM!,
        state: "no_stream",
        pending: null,
        ack_pending: null,
        redelivered: null,
      },
    ] as never,
    paused: [],
  });
  expect((await kenri.call("notification", "/ops/health?x=1")).status).toBe(400);
});
