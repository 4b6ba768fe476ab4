import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { audits, outboxEvents } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type OperationView, operators } from "../../testing/operators.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import type { ResendPreview } from "./resend_routes.ts";

const path = "/ops/outbox/resend";
const published = { status: "'PUBLISHED'", published_at: "now() - interval '1 minute'", confirmed_at: "now() - interval '1 minute'" };
let mint: TestMint;
let kenri: TestKenri;
let people: ReturnType<typeof operators>;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({ BULK_CAP: "20", BULK_BATCH: "20", BULK_PACE: "100ms", OUTBOX_LEASE: "2s" }, undefined, mint);
  await kenri.start("entitlement:api");
  people = operators(kenri, mint, { system: "entitlement", kind: "outbox" });
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

/** Confirmed events of a user, one each minute, the newest `age` minutes old; oldest first. */
const put = async (user: string, count: number, isMissing: boolean, age = 10) =>
  (
    await outboxEvents.put(
      kenri.entitlementSql,
      {
        ...published,
        event_id: `uuidv7(make_interval(mins => n - ${count + age}))`,
        created_at: `now() - make_interval(mins => ${count + age} - n)`,
        user_id: `'${user}-' || n`,
        missing_at: isMissing ? "now()" : null,
      },
      `generate_series(1, ${count}) n`,
    )
  ).sort();
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const remembers = (seconds: number | null) => kenri.entitlementSql`update reconciliation set remembers_seconds = ${seconds}`;
async function preview(selection: object): Promise<ResendPreview> {
  const { status, text } = await people.post("OPERATOR", `${path}/preview`, selection);
  if (status !== 200) throw new Error(`${status} ${text}`);
  return JSON.parse(text);
}
const start = (role: string, selection: object, { set_hash, eligible }: ResendPreview) =>
  people.post(role, path, { ...selection, set_hash, expected: eligible, reason: "it was restored" });
const startWell = async (selection: object): Promise<OperationView> => {
  const answer = await start("ADMIN", selection, await preview(selection));
  expect(answer.status).toBe(202);
  return JSON.parse(answer.text);
};
const written = async () =>
  (await kenri.entitlementSql`select (select count(*) from operations) + (select count(*) from operator_actions) as rows`)[0]!.rows;
const isDone = ({ status }: OperationView) => status === "DONE";

describe("the check of confirmed events", () => {
  const consistency = async () => {
    const { invariants, verification } = JSON.parse((await people.ask("VIEWER", "GET", "/ops/consistency")).text);
    const { state, about } = invariants.find(({ name }: { name: string }) => name === "confirmed_missing");
    return { state, about, verification };
  };
  afterAll(async () => {
    await kenri.entitlementSql`delete from outbox_events`;
    await kenri.entitlementSql`update reconciliation set checked_at = null`;
  });

  test("is late after a minute: none missing is then watched, and says why", async () => {
    expect(await consistency()).toMatchObject({ state: "ok", verification: { checked_at: null, is_late: false } });
    await kenri.entitlementSql`update reconciliation set checked_at = now() - interval '61 s'`;
    await until("it is late", 10_000, async () => (await consistency()).verification.is_late);
    const { state, about, verification } = await consistency();
    expect([state, about]).toEqual(["watch", expect.stringContaining(`The last check ended at ${verification.checked_at}`)]);
    await kenri.entitlementSql`update reconciliation set checked_at = now() - interval '30 s'`;
    await until("it is not late any more", 10_000, async () => (await consistency()).state === "ok");
  });

  test("names the earliest event by its time, not by its id: a resend since then leaves none out", async () => {
    const [at, earlier] = ["now() - interval '10 minutes'", "now() - interval '10 minutes 5 ms'"];
    const columns = {
      ...published,
      event_id: "uuidv7(make_interval(mins => -10, secs => n))",
      created_at: `case when n = 2 then ${earlier} else ${at} end`,
      user_id: "'order-' || n",
      missing_at: "now()",
    };
    const ids = await outboxEvents.put(kenri.entitlementSql, columns, "generate_series(1, 3) n");
    await until("they are counted", 10_000, async () => (await consistency()).verification.missing.count === 3);
    const { state, verification } = await consistency();
    expect(state).toBe("broken");
    const found = await preview({ since: verification.earliest });
    expect([found.eligible, [...found.sample].sort()]).toEqual([3, ids.sort()]);
  });
});

describe("a preview", () => {
  test("selects what notification lacks by default: since a time, until one, of a user, or by ids", async () => {
    const lost = await put("lost", 6, true);
    const there = await put("there", 2, false);
    const of = async (selection: object) => (await preview(selection)).eligible;
    const all = await preview({ since: ago(60) });
    expect(all).toMatchObject({ eligible: 6, is_before_kept: false, is_complete: true, sample: lost.slice(1).reverse() });
    expect(Date.parse(all.earliest!)).toBeLessThan(Date.parse(all.latest!));
    expect(await of({ since: ago(12.5) })).toBe(3);
    expect(await of({ since: ago(60), until: ago(12.5) })).toBe(3);
    expect(await of({ since: ago(60), user_id: "lost-2" })).toBe(1);
    expect(await of({ user_id: "nobody" })).toBe(0);
    expect(await of({ event_ids: [...lost.slice(0, 2), ...there, crypto.randomUUID()] })).toBe(2);
    expect(await preview({ since: "2020-01-01T00:00:00Z" })).toMatchObject({ eligible: 6, is_before_kept: true });
  });

  test("of everything published leaves out what notification may have forgotten, and what is not published", async () => {
    const [grown, old] = [await put("all", 3, false, 100), await put("old", 2, false, 60 * 24 * 40)];
    await outboxEvents.put(kenri.entitlementSql, { user_id: "'all-9'", created_at: `timestamptz '${ago(101)}'` });
    const everything = { event_ids: [...grown, ...old], only_missing: false };
    await remembers(null);
    expect((await preview(everything)).eligible).toBe(0);
    await remembers(30 * 86_400);
    expect((await preview(everything)).eligible).toBe(3);
    expect((await preview({ since: ago(110), until: ago(99), only_missing: false })).eligible).toBe(3);
    await kenri.entitlementSql`update outbox_events set missing_at = now() where event_id = ${old[0]!}`;
    expect((await preview(everything)).eligible).toBe(4);
  });

  test("of a user's events has those that the audit names", async () => {
    const [event] = await put("alice", 2, false);
    await audits.put(kenri.entitlementSql, { event_id: `'${event}'`, user_id: "'alice-1'" });
    const ofAlice = await preview({ user_id: "alice-1", only_missing: false });
    expect([ofAlice.eligible, ofAlice.sample]).toEqual([1, [event!]]);
    expect((await preview({ user_id: "alice-1", since: ago(1), only_missing: false })).eligible).toBe(0);
    expect((await preview({ user_id: "alice-1" })).eligible).toBe(0);
  });
});

describe("a resend", () => {
  test("is refused without a permission, a selection or the same set, and over the cap; nothing is written", async () => {
    await put("many", 21, true, 200);
    const [many, few] = [{ since: ago(230), until: ago(190) }, { user_id: "many-1" }];
    const [manySeen, fewSeen] = [await preview(many), await preview(few)];
    expect([manySeen.eligible, fewSeen.eligible]).toEqual([21, 1]);
    const before = await written();
    const invalid = (pointer: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", pointer });
    const bad: [object, Refusal][] = [
      [{}, invalid("/since")],
      [{ until: ago(1) }, invalid("/since")],
      [{ only_missing: false }, invalid("/since")],
      [{ since: ago(1), until: ago(2) }, invalid("/until")],
      [{ since: "yesterday" }, invalid("/since")],
      [{ event_ids: [] }, invalid("/event_ids")],
      [{ event_ids: ["x"] }, invalid("/event_ids/0")],
      [{ since: ago(1), only_missing: "yes" }, invalid("/only_missing")],
      [{ since: ago(1), force: true }, invalid("/force")],
    ];
    for (const [selection, refusal] of bad) {
      expectRefusal(await people.post("ADMIN", `${path}/preview`, selection), refusal);
      expectRefusal(await start("ADMIN", selection, fewSeen), refusal);
    }
    for (const role of ["VIEWER", "USER"]) {
      expectRefusal(await people.post(role, `${path}/preview`, few), { status: 403, code: "FORBIDDEN" });
      expectRefusal(await start(role, few, fewSeen), { status: 403, code: "FORBIDDEN" });
    }
    expectRefusal(await start("OPERATOR", many, manySeen), { status: 403, code: "OVER_CAP" });
    expectRefusal(await start("OPERATOR", many, { ...manySeen, eligible: 20 }), { status: 409, code: "SET_CHANGED" });
    expectRefusal(await start("OPERATOR", few, manySeen), { status: 403, code: "OVER_CAP" });
    expectRefusal(await start("OPERATOR", few, { ...fewSeen, set_hash: "0".repeat(64) }), { status: 409, code: "SET_CHANGED" });
    expectRefusal(await people.post("OPERATOR", path, { ...few, set_hash: fewSeen.set_hash, expected: 1 }), invalid("/reason"));
    expect(await written()).toBe(before);
  });

  test("goes on after its relay was killed, and publishes each event again once; what was found again or is under way is skipped", async () => {
    const ids = await put("killed", 200, true, 400);
    const { operation_id } = await startWell({ since: ago(620), until: ago(390) });
    await kenri.entitlementSql`update outbox_events set missing_at = null where event_id = ${ids.at(-1)!}`;
    await kenri.entitlementSql`update outbox_events set status = 'PENDING', missing_at = null, confirmed_at = null where event_id = ${ids.at(-2)!}`;
    const first = kenri.launch("entitlement:relay");
    await people.reached(operation_id, ({ done }) => done > 0);
    first.kill("SIGKILL");
    await first.exited;
    expect((await people.operation(operation_id)).status).toBe("RUNNING");
    const second = kenri.launch("entitlement:relay");
    expect(await people.reached(operation_id, isDone)).toMatchObject({ total: 200, done: 198, skipped: 2, failed: 0 });
    const skipped =
      await kenri.entitlementSql`select note from operation_items where operation_id = ${operation_id} and result = 'SKIPPED' order by position`;
    expect(skipped.map(row => row.note)).toEqual([
      expect.stringMatching(/^it is (PENDING|IN_FLIGHT)$|published again/),
      "notification holds it",
    ]);
    const again = () => kenri.entitlementSql`
      select publish_generation, (select count(*)::int from operator_actions a where a.action = 'outbox.resend' and a.subject = o.event_id::text) as audited
      from outbox_events o where event_id = any (${ids.slice(0, 198)}::uuid[]) and status = 'PUBLISHED' and missing_at is null and confirmed_at is null`;
    await until("all are published again", 30_000, async () => (await again()).length === 198);
    expect((await again()).every(row => row.publish_generation === 1 && row.audited === 1)).toBe(true);
    expect(await second.stop()).toBe(0);
  }, 60_000);
});
