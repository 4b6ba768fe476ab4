import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createHealth } from "../../kernel/life/health.ts";
import { openStore } from "../../kernel/postgres/store.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { outboxEvents } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import type { Consumed } from "./consumed_answers.ts";
import { verifier } from "./verifier.ts";

const day = 86_400;
let kenri: TestKenri;
let store: ReturnType<typeof openStore<EntitlementSql>>;
beforeAll(async () => {
  kenri = await testKenri();
  store = openStore<EntitlementSql>({
    system: "entitlement",
    url: kenri.entitlement.appUrl,
    name: "verifier test",
    connections: 2,
    deadline: 5000,
    log: silentLog,
    health: createHealth(),
    metrics: createMetrics(),
  });
  await store.start();
});
afterAll(async () => {
  await store.stop();
  await kenri.close();
});
beforeEach(async () => {
  await kenri.entitlementSql`delete from outbox_events`;
  await kenri.entitlementSql`delete from reconciliation`;
  await kenri.entitlementSql`insert into reconciliation default values`;
});

/** Confirmed events, one each second, the newest `age` seconds old. Oldest first. */
async function confirmedEvents(count: number, age = 10): Promise<string[]> {
  const at = `now() - make_interval(secs => ${age + count} - n)`;
  const event_id = `uuidv7(make_interval(secs => n - ${age + count}))`;
  const times = { created_at: at, next_retry_at: at, published_at: at, confirmed_at: at };
  const columns = { event_id, user_id: "'user-' || n", status: "'PUBLISHED'", ...times };
  return (await outboxEvents.put(kenri.entitlementSql, columns, `generate_series(1, ${count}) n`)).sort();
}

/** A relay, and a notification that holds all but these and keeps ids for 30 days. */
function relayWith(
  lost: ReadonlySet<string>,
  answer: (held: Set<string>) => Consumed = held => ({ held, remembers: 30 * day }),
  every = 0,
) {
  const asked: number[] = [];
  const ask = async (ids: readonly string[]) => {
    asked.push(ids.length);
    return answer(new Set(ids.filter(id => !lost.has(id))));
  };
  const { verification } = store.statements;
  const options = { verification, isConnected: () => true, notification: { ask }, every, log: silentLog, metrics: createMetrics() };
  return { ...verifier(options), asked };
}

const missing = async () =>
  (await kenri.entitlementSql<{ event_id: string }[]>`select event_id from outbox_events where missing_at is not null order by 1`).map(
    row => row.event_id,
  );
const stateOf = async () => (await store.statements.verification.find({ every_seconds: 3600 }))[0]!;
async function runToEnd(run: () => Promise<number>): Promise<number> {
  for (let runs = 1; ; runs++) if ((await run()) === 0) return runs;
}

test("a gap under newer events is found by the pass, which then starts again and goes on without pauses until it has seen all", async () => {
  const ids = await confirmedEvents(2000);
  const lost = new Set(ids.slice(600, 1300));
  const { runOnce } = relayWith(lost);
  expect(await runOnce()).toBe(0); // the newest 400 are there
  expect(await missing()).toEqual([]);
  expect(await runToEnd(runOnce)).toBeGreaterThan(4); // the second page finds some, then a whole pass
  expect(await missing()).toEqual([...lost]);
  expect(await stateOf()).toMatchObject({ missing: 700, more: false, is_complete: true, due: false, pass_before: null });
  await kenri.entitlementSql`update reconciliation set checked_at = now() - interval '1 hour'`;
  expect(await runToEnd(relayWith(new Set(), undefined, 60_000).runOnce)).toBeLessThan(10); // the right database is back
  expect(await stateOf()).toMatchObject({ missing: 0, missing_since: null });
});

test("what is missing at the newest end is found by the first check; relays share one check in an interval", async () => {
  const ids = await confirmedEvents(20);
  const lost = new Set(ids.slice(-3));
  const [one, other] = [relayWith(lost, undefined, 60_000), relayWith(lost, undefined, 60_000)];
  expect(await runToEnd(one.runOnce)).toBe(2);
  expect(await missing()).toEqual([...lost]);
  await other.runOnce();
  expect(other.asked).toEqual([]);
});

test("an event that was held at the check before is asked about again, even if many newer ones came since", async () => {
  const before = await confirmedEvents(5, 2000);
  const lost = new Set<string>();
  const { runOnce } = relayWith(lost);
  await runOnce();
  for (const id of before) lost.add(id);
  await confirmedEvents(900);
  expect(await runOnce()).toBe(1);
  expect(await missing()).toEqual(before);
});

test("nothing is called missing that notification may have deleted, that it has not answered about, or that is not confirmed", async () => {
  const ids = await confirmedEvents(10, 2 * 3600);
  const lost = new Set(ids);
  for (const answer of [
    (held: Set<string>) => ({ held, remembers: 2 * 3600 }), // these are older than its memory, less an hour
    (held: Set<string>) => ({ held, remembers: 0 }),
    (held: Set<string>) => ({ held }), // a version that does not say how long it remembers
    (): Consumed => ({ held: undefined, why: "nobody answers" }),
  ])
    await relayWith(lost, answer).runOnce();
  await kenri.entitlementSql`update outbox_events set confirmed_at = null`;
  await relayWith(lost).runOnce();
  expect(await missing()).toEqual([]);
  expect(await stateOf()).toMatchObject({ missing: 0, missing_since: null });
});

test("an event that is confirmed again while notification answers is not marked", async () => {
  const ids = await confirmedEvents(1);
  const { verification } = store.statements;
  const ask = async () => {
    await kenri.entitlementSql`update outbox_events set confirmed_at = clock_timestamp()`;
    return { held: new Set<string>(), remembers: 30 * day };
  };
  await verifier({
    verification,
    isConnected: () => true,
    notification: { ask },
    every: 0,
    log: silentLog,
    metrics: createMetrics(),
  }).runOnce();
  expect(await missing()).toEqual([]);
  expect(ids).toHaveLength(1);
});

test("the marks go away when notification holds the events after all, and the janitor leaves marked ones", async () => {
  const ids = await confirmedEvents(30, 9 * day);
  const lost = new Set(ids.slice(0, 4));
  await runToEnd(relayWith(lost).runOnce);
  const cleaned = await store.statements.outbox.cleanup({ retention_seconds: 7 * day, limit: 1000 });
  expect(cleaned).toHaveLength(26);
  expect(await missing()).toEqual([...lost]);
  await relayWith(new Set()).runOnce();
  expect(await missing()).toEqual([]);
  expect(await stateOf()).toMatchObject({ missing: 0, missing_since: null, is_complete: true });
});
