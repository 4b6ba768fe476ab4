import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { notifications, processedEvents } from "../../testing/notification_rows.ts";
import { putNotification } from "../../testing/operator_rows.ts";
import { operators } from "../../testing/operators.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
let server: TestProcess;
beforeAll(async () => {
  mint = await testMint();
  // What is asked for is walked; by itself nothing is, within a test.
  kenri = await testKenri({ OUTBOX_RECONCILE: "1h", HEALTH_PORT: "0" }, undefined, mint);
  server = await kenri.start("entitlement:api notification:api", { OUTBOX_FIRST_ATTEMPT: "relay" });
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

type System = "entitlement" | "notification";
interface Found {
  readonly name: string;
  readonly about: string;
  readonly bounded: string | null;
  readonly count: { readonly count: number; readonly more: boolean };
  readonly oldest: string | null;
  readonly sample: readonly string[];
  readonly state: string;
}
interface Answer {
  readonly invariants: readonly Found[];
  readonly stream: { incarnation: string; last_seq: number } | null;
  readonly reconciler: { every_seconds: number; asked_at: string | null; due: boolean; last_run: Record<string, unknown> | null };
}
const look = async (system: System): Promise<Answer> => {
  const response = await kenri.call(system, "/ops/consistency");
  expect(response.status).toBe(200);
  return response.json() as Promise<Answer>;
};
const found = async (system: System, name: string) => (await look(system)).invariants.find(one => one.name === name)!;

test.each(["entitlement", "notification"] as const)("consistent data breaks no invariant in %s", async system => {
  await kenri.grant("fits", "item1");
  await kenri.revoke("fits", "item1");
  for (const state of ["done", "done", "waiting", "busy", "failed"] as const)
    await putNotification(kenri.notificationSql, { state, user: `fits-${system}`, error: "e", minutes: 1 });
  await kenri.notificationSql`insert into inbox_positions select user_id, max(position) from notifications where position is not null
    group by user_id on conflict (user_id) do update set position = excluded.position`;
  const { invariants } = await look(system);
  expect(invariants.length).toBeGreaterThan(4);
  expect(invariants.filter(one => one.state !== "ok")).toEqual([]);
  for (const { about, count } of invariants) {
    expect(about).toMatch(/^[A-Z].{20,}\.$/);
    expect(count).toEqual({ count: 0, more: false });
  }
});

/** Makes a grant and then breaks what it left behind. Returns its event. */
async function granted(user: string, breakIt: (eventId: string) => Promise<unknown>): Promise<string> {
  await kenri.grant(user, "item1");
  const [audit] = await kenri.entitlementSql`select event_id from entitlement_audit where user_id = ${user} order by version desc limit 1`;
  await breakIt(audit?.event_id);
  return audit?.event_id;
}
const publishedAgo = (seconds: number) => (eventId: string) =>
  kenri.entitlementSql`update outbox_events set status = 'PUBLISHED', published_at = now() - make_interval(secs => ${seconds}) where event_id = ${eventId}`;

describe("in entitlement", () => {
  const breaches: [name: string, state: string, user: string, breakIt: (eventId: string) => Promise<unknown>][] = [
    ["unconfirmed_under_a_minute", "ok", "fresh", publishedAgo(5)],
    ["unconfirmed_for_minutes", "watch", "lagging", publishedAgo(300)],
    ["unconfirmed_for_hours", "broken", "forgotten", publishedAgo(7200)],
    [
      "leases_run_out",
      "watch",
      "slow",
      id => kenri.entitlementSql`update outbox_events set status = 'IN_FLIGHT', claim_token = gen_random_uuid(), lease_until = now() - interval '5 s'
        where event_id = ${id}`,
    ],
    ["changes_without_event", "broken", "silent", id => kenri.entitlementSql`delete from outbox_events where event_id = ${id}`],
    ["version_gaps", "broken", "behind", () => kenri.entitlementSql`delete from entitlements where user_id = 'behind'`],
    ["events_without_change", "broken", "unaudited", id => kenri.entitlementSql`delete from entitlement_audit where event_id = ${id}`],
  ];
  test.each(breaches)("%s is found, counted and %s", async (name, state, user, breakIt) => {
    const before = (await found("entitlement", name)).count.count;
    const id = await granted(user, breakIt);
    const { count, oldest, sample, state: judged } = await found("entitlement", name);
    expect({ count, judged }).toEqual({ count: { count: before + 1, more: false }, judged: state });
    expect(sample).toContain(id);
    expect(Date.parse(oldest!)).toBeLessThanOrEqual(Date.now());
  });

  test("overdue events are shown besides their age", async () => {
    expect(await found("entitlement", "overdue")).toMatchObject({ count: { count: 2 }, state: "watch" });
  });

  test("a version that is missing in the middle is a gap, and so is an entitlement ahead of its audit", async () => {
    const before = (await found("entitlement", "version_gaps")).count.count;
    await kenri.grant("hole", "item1");
    await kenri.revoke("hole", "item1");
    await kenri.entitlementSql`delete from entitlement_audit where user_id = 'hole' and version = 1`;
    await granted("ahead", () => kenri.entitlementSql`update entitlements set version = 7 where user_id = 'ahead'`);
    expect((await found("entitlement", "version_gaps")).count.count).toBe(before + 2);
  });

  test("an event that an operator discarded is not reported as missing", async () => {
    const before = await found("entitlement", "changes_without_event");
    await granted("given-up", async event_id => {
      await kenri.entitlementSql`update outbox_events set status = 'FAILED' where event_id = ${event_id}`;
      const { post } = operators(kenri, mint, { system: "entitlement", kind: "outbox" });
      expect((await post("ADMIN", `/ops/outbox/${event_id}/discard`, { reason: "r" })).status).toBe(200);
    });
    expect(await found("entitlement", "changes_without_event")).toEqual(before);
  });
});

describe("in notification", () => {
  const put = (state: "busy" | "done" | "failed", user: string) =>
    putNotification(kenri.notificationSql, { state, user, error: "e", minutes: 1 });
  const breaches: [name: string, state: string, breakIt: () => Promise<string>][] = [
    [
      "leases_run_out",
      "broken",
      async () => {
        const id = await put("busy", "stuck");
        await kenri.notificationSql`update notifications set lease_until = now() - interval '2 minutes' where notification_id = ${id}`;
        return id;
      },
    ],
    [
      "dead_letters_of_the_living",
      "broken",
      async () => {
        const id = await put("failed", "undead");
        await kenri.notificationSql`update notifications set status = 'PENDING' where notification_id = ${id}`;
        return id;
      },
    ],
    [
      "failed_without_dead_letter",
      "broken",
      async () => {
        const id = await put("failed", "unburied");
        await kenri.notificationSql`delete from notification_dlq where notification_id = ${id}`;
        return id;
      },
    ],
    [
      "feed_gaps",
      "broken",
      async () => {
        const ids = [await put("done", "gap"), await put("done", "gap"), await put("done", "gap")];
        await kenri.notificationSql`insert into inbox_positions values ('gap', 3)`;
        await kenri.notificationSql`delete from notifications where notification_id = ${ids[1]!}`;
        return ids[2]!;
      },
    ],
    [
      "events_without_notification",
      "broken",
      async () => {
        return (await processedEvents.put(kenri.notificationSql, { aggregate_key: "'untold:item'" }))[0]!;
      },
    ],
    ["announced_without_notice", "broken", async () => (await announced({ events: 1 })).joins[1]!],
    ["half_announced_matches", "broken", async () => (await announced({ joins: 1 })).match],
  ];
  /** A match that was announced, with so many of its two requests to join and of its consumed notices. */
  async function announced({ joins = 2, events = 2, minutes = 0 }: { joins?: number; events?: number; minutes?: number }) {
    const sql = kenri.notificationSql;
    const match = Bun.randomUUIDv7();
    const rows = Array.from({ length: joins }, () => ({ join: crypto.randomUUID(), notice: crypto.randomUUID() }));
    for (const { join, notice } of rows)
      await sql`insert into announced_joins (join_id, match_id, event_id, announced_at, peer_user_ids, session)
        values (${join}, ${match}, ${notice}, now() - make_interval(mins => ${minutes}), '{bob}', gen_random_uuid())`;
    for (const { notice } of rows.slice(0, events)) {
      await notifications.put(sql, { event_id: `'${notice}'`, aggregate_key: `'match:${match}:' || gen_random_uuid()` });
      await processedEvents.put(sql, { event_id: `'${notice}'` });
    }
    return { match, joins: rows.map(row => row.join) };
  }
  test("a match that was announced to both, and half of one that no longer counts, break nothing", async () => {
    await announced({});
    await announced({ joins: 1, events: 0, minutes: 90 });
    for (const name of ["announced_without_notice", "half_announced_matches"])
      expect(await found("notification", name)).toMatchObject({ count: { count: 0 }, state: "ok" });
  });
  test.each(breaches)("%s is found, counted and %s", async (name, state, breakIt) => {
    const id = await breakIt();
    expect(await found("notification", name)).toMatchObject({ count: { count: 1, more: false }, state, sample: [id] });
  });

  test("a feed whose beginning was deleted after its time has no gap", async () => {
    const before = await found("notification", "feed_gaps");
    const [first] = [await put("done", "old"), await put("done", "old")];
    await kenri.notificationSql`insert into inbox_positions values ('old', 2)`;
    await kenri.notificationSql`delete from notifications where notification_id = ${first!}`;
    expect(await found("notification", "feed_gaps")).toEqual(before);
  });

  test("an event whose notification an operator discarded is not reported as missing", async () => {
    const before = await found("notification", "events_without_notification");
    const id = await put("failed", "given-up");
    const consumed = { event_id: "event_id", event_type: "type", aggregate_key: "aggregate_key" };
    await processedEvents.put(kenri.notificationSql, consumed, `notifications where notification_id = '${id}'`);
    const { post } = operators(kenri, mint, { system: "notification", kind: "notifications" });
    expect((await post("ADMIN", `/ops/notifications/${id}/discard`, { reason: "r" })).status).toBe(200);
    expect(await found("notification", "events_without_notification")).toEqual(before);
  });
});

describe("who may read and start", () => {
  const asked = (role: string, body: unknown) =>
    operators(kenri, mint, { system: "entitlement", kind: "outbox" }).post(role, "/ops/reconcile", body);

  test.each([
    ["VIEWER", 200, 403],
    ["OPERATOR", 200, 202],
    ["ADMIN", 200, 202],
    ["USER", 403, 403],
  ])("%s reads: %d, starts the reconciler: %d", async (role, looks, asks) => {
    for (const system of ["entitlement", "notification"] as const) {
      const { ask } = operators(kenri, mint, { system, kind: "outbox" });
      expect((await ask(role, "GET", "/ops/consistency")).status).toBe(looks);
    }
    expect((await asked(role, { reason: "a look" })).status).toBe(asks);
  });

  test.each([
    ["no reason", {}, "/reason"],
    ["an empty one", { reason: "" }, "/reason"],
    ["a blank one", { reason: " \t" }, "/reason"],
    ["one that is too long", { reason: "x".repeat(501) }, "/reason"],
    ["a number", { reason: 1 }, "/reason"],
    ["something else besides", { reason: "r", now: true }, "/now"],
  ])("the reconciler is not started with %s", async (_, body, pointer) =>
    expectRefusal(await asked("OPERATOR", body), { status: 400, code: "INVALID_REQUEST", pointer }),
  );

  test("the route takes no parameters", async () => {
    const response = await kenri.call("notification", "/ops/consistency?deep=true");
    expectRefusal(
      { status: response.status, headers: response.headers, text: await response.text() },
      { status: 400, code: "INVALID_REQUEST", pointer: "/deep" },
    );
  });
});

test("a requested run of the reconciler is made by a relay in another process, shown with its result, and audited", async () => {
  const first = await look("entitlement");
  expect(first.reconciler).toMatchObject({ every_seconds: 3600, due: true, last_run: null });
  const relay = kenri.launch("entitlement:relay");
  await until("the relay walks", 20_000, async () => (await look("entitlement")).reconciler.last_run !== null);
  await until("what was asked for is done", 20_000, async () => !(await look("entitlement")).reconciler.due);

  const { post } = operators(kenri, mint, { system: "entitlement", kind: "outbox" });
  const { asked_at } = JSON.parse((await post("OPERATOR", "/ops/reconcile", { reason: "after the outage" })).text);
  const after = async () => (await look("entitlement")).reconciler;
  await until("it walks again", 20_000, async () => {
    const { due, last_run } = await after();
    return !due && String(last_run?.started_at) > asked_at;
  });
  // Nobody of notification runs, so nobody says what it holds.
  expect((await after()).last_run).toMatchObject({ outcome: "unanswered", note: expect.stringContaining("nobody answers"), confirmed: 0 });
  expect((await look("entitlement")).stream).toMatchObject({ incarnation: expect.any(String), last_seq: expect.any(Number) });
  expect(await kenri.entitlementSql`select actor, action, subject from operator_actions where reason = 'after the outage'`).toMatchObject([
    { actor: "user:operator", action: "reconciler.run", subject: "reconciler" },
  ]);
  relay.kill("SIGTERM");
  await relay.exited;
});

test("the servers logged no unexpected error", () => {
  expect(server.lines.filter(line => line.includes('"level":"error"'))).toEqual([]);
});
