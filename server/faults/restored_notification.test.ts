import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { copyDatabase } from "../testing/databases.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { type Ledger, traffic } from "../testing/traffic.ts";

const receivers = "notification:api notification:consumer notification:sender";

interface Verification {
  readonly checked_at: string | null;
  readonly missing: { readonly count: number };
  readonly missing_since: string | null;
  readonly earliest: string | null;
  readonly latest: string | null;
  readonly is_complete: boolean;
}

async function consistency(kenri: TestKenri) {
  const answer = await (await kenri.call("entitlement", "/ops/consistency")).json();
  const { invariants, verification } = answer as {
    invariants: { name: string; state: string; count: { count: number } }[];
    verification: Verification;
  };
  return { broken: invariants.filter(({ state }) => state === "broken").map(({ name, count }) => [name, count.count]), verification };
}

async function post<T>(kenri: TestKenri, path: string, body: object, status: number): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await kenri.call("entitlement", path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

function addTo(all: Ledger, more: Ledger): void {
  for (const [aggregate, count] of more.asked) all.asked.set(aggregate, (all.asked.get(aggregate) ?? 0) + count);
  for (const [aggregate, versions] of more.granted)
    all.granted.set(aggregate, new Set([...(all.granted.get(aggregate) ?? []), ...versions]));
}

test("notification's database comes back 500 grants old: it is found out, a resend closes the gap, and everybody has each notification once", async () => {
  const kenri = await testKenri({ OUTBOX_VERIFY: "200ms", INTAKE_PATIENCE: "500ms", BULK_BATCH: "60", BULK_PACE: "20ms" });
  closeAtEnd(kenri.close);
  const sender = await kenri.start("entitlement:api entitlement:relay");
  const change = async (requests: number, ledger?: Ledger) => {
    const load = traffic(kenri, { clients: 8, hot: 2, pause: 0, requests, prefix: ledger ? "later" : "first" });
    await load.done;
    if (ledger) addTo(ledger, load.ledger);
    return ledger ?? load.ledger;
  };
  let receiver = await kenri.start(receivers);
  const ledger = await change(60);
  await drained(kenri);
  expect(await receiver.stop()).toBe(0);
  const restore = await copyDatabase(kenri.notification);
  receiver = await kenri.start(receivers);
  const since = new Date().toISOString();
  await change(500, ledger);
  await drained(kenri);
  await until("all was checked", 10_000, async () => (await consistency(kenri)).verification.checked_at! > since);
  expect(await consistency(kenri)).toMatchObject({ broken: [], verification: { missing: { count: 0 }, is_complete: true } });

  expect(await receiver.stop()).toBe(0);
  await restore();
  await kenri.start(receivers);
  await until("it is found out", 10_000, async () => {
    const { verification } = await consistency(kenri);
    return verification.missing.count === 500 && verification.is_complete;
  });
  const { broken, verification } = await consistency(kenri);
  expect(broken).toEqual([["confirmed_missing", 500]]);
  expect(verification.earliest! >= since).toBe(true);
  await until("the metric says so", 5000, async () => (await sender.metric("kenri_outbox_confirmed_missing")) === 500);

  // A newer version of a pair whose versions are missing: it is consumed without them, and they are stale when they come.
  const versions = ledger.granted.get("later-hot-0:item")!;
  const newer = await (versions.size % 2 === 0 ? kenri.grant : kenri.revoke)("later-hot-0", "item");
  expect(newer.status).toBe(200);
  addTo(ledger, {
    ...ledger,
    asked: new Map([["later-hot-0:item", 1]]),
    granted: new Map([["later-hot-0:item", new Set([versions.size + 1])]]),
  });
  await until("it was consumed", 10_000, async () => (await kenri.inbox("later-hot-0")).some(({ status }) => status === "SENT"));
  const selection = { since };
  const preview = await post<{ eligible: number; set_hash: string; is_before_kept: boolean }>(
    kenri,
    "/ops/outbox/resend/preview",
    selection,
    200,
  );
  expect(preview).toMatchObject({ eligible: 500, is_complete: true, is_before_kept: false });
  const start = { ...selection, set_hash: preview.set_hash, expected: 500, reason: "the database was restored" };
  // Two operators at once: what one has published again, the other skips. If the first one has begun, the second is refused.
  const started = await Promise.allSettled([1, 2].map(() => post<{ operation_id: string }>(kenri, "/ops/outbox/resend", start, 202)));
  const refused = started.flatMap(one => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refused.filter(why => !why.includes("SET_CHANGED"))).toEqual([]);
  await until("all are done", 20_000, async () => {
    const rows = await kenri.entitlementSql`select from operations where status = 'DONE'`;
    return rows.length === started.length - refused.length;
  });
  await drained(kenri);
  const [counts] = await kenri.entitlementSql`
    select (select sum(done)::int from operations) as done, (select count(*) from outbox_events where publish_generation > 0) as resent,
      (select max(publish_generation) from outbox_events) as generation,
      (select count(*) from operator_actions where action = 'outbox.resend') as audited`;
  expect(counts).toEqual({ done: 500, resent: 500, generation: 1, audited: 500 });
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect((await kenri.inbox("later-hot-0")).filter(({ stale }) => stale)).toHaveLength(versions.size);
  await until("the check finds nothing missing", 10_000, async () => (await consistency(kenri)).verification.missing_since === null);
  expect((await consistency(kenri)).broken).toEqual([]);
  await until("the metric says so", 5000, async () => (await sender.metric("kenri_outbox_confirmed_missing")) === 0);
}, 60_000);
