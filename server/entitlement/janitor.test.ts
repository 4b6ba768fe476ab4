import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import postgres from "postgres";
import { until } from "../../stack/wait.ts";
import { audits, idempotencyKeys, outboxEvents } from "../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { quoted } from "../testing/rows.ts";

let kenri: TestKenri;
let owner: postgres.Sql;
beforeAll(async () => {
  kenri = await testKenri({ CLEANUP_EVERY: "100ms", OUTBOX_RETENTION: "1h" });
  await kenri.start("entitlement:api");
  owner = postgres(kenri.entitlement.ownerUrl, { max: 2, onnotice: () => {} });
});
afterAll(async () => {
  await owner.end();
  await kenri.close();
});

/** The month that lies this many months from now, as its partition is called. */
const month = (offset: number) => {
  const now = new Date();
  return `entitlement_audit_${new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString().slice(0, 7).replace("-", "")}`;
};
const partitions = async () =>
  (await owner`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'entitlement_audit'::regclass order by 1`)
    .map(row => row.name as string)
    .filter(name => /\d$/.test(name));
const make = async (ahead: number) => (await owner`select make_audit_partitions(${ahead}) as name`).map(row => row.name as string);
const drop = async (keep: number) => (await owner`select drop_audit_partitions(${keep}) as name`).map(row => row.name as string);
const append = (user: string, offset: number, version = 1) =>
  audits.put(owner, {
    at: `date_trunc('month', now()) + make_interval(months => ${offset}, days => 3)`,
    user_id: quoted(user),
    stock_keeping_unit: "'a'",
    version,
  });
const home = async (user: string) =>
  (await owner`select tableoid::regclass::text as name from entitlement_audit where user_id = ${user}`).map(row => row.name as string);

describe("the audit's partitions", () => {
  test("are there for this month and the next three from the start", async () => {
    expect(await partitions()).toEqual([0, 1, 2, 3].map(month));
    expect(await make(3)).toEqual([]);
  });

  test("take over what fell into the default one, of months ahead and of months gone by", async () => {
    for (const [user, offset] of [
      ["ahead", 5],
      ["gone", -2],
      ["long-gone", -30],
    ] as const)
      await append(user, offset);
    expect(await home("ahead")).toEqual(["entitlement_audit_default"]);
    expect(await make(4)).toEqual([-30, -2, 4, 5].map(month));
    expect([await home("ahead"), await home("gone"), await home("long-gone")]).toEqual([[month(5)], [month(-2)], [month(-30)]]);
    expect((await owner`select count(*)::int as rows from entitlement_audit_default`)[0]?.rows).toBe(0);
  });

  test("are dropped by retention, whole months, and never the month that the retention begins in", async () => {
    for (const offset of [-14, -13, -12]) await append(`old${offset}`, offset);
    await make(3);
    expect(await drop(13)).toEqual([-30, -14].map(month));
    expect(await partitions()).toEqual([-13, -12, -2, 0, 1, 2, 3, 4, 5].map(month));
    expect([await home("old-14"), await home("old-13")]).toEqual([[], [month(-13)]]);
    expect(await drop(13)).toEqual([]);
  });

  test("cannot be dropped to nothing by mistake", async () => {
    expect(await drop(0).catch(error => error.message)).toContain("at least a month");
    expect(await drop(-5).catch(error => error.message)).toContain("at least a month");
  });

  test("that are missing refuse no grant; the janitor makes them under load and moves the rows", async () => {
    await owner.unsafe(`drop table ${month(0)}`);
    expect((await kenri.grant("early", "item1")).status).toBe(200);
    expect(await home("early")).toEqual(["entitlement_audit_default"]);
    const answers: number[] = [];
    let made = false;
    const traffic = async (caller: number) => {
      for (let n = 0; !made; n++) answers.push((await kenri.grant(`load-${caller}-${n}`, "item1")).status);
    };
    const callers = Promise.all([1, 2, 3, 4].map(traffic));
    const janitor = await kenri.start("entitlement:janitor");
    await until("this month has its partition", 20_000, async () => (await partitions()).includes(month(0))).finally(() => (made = true));
    await callers;
    await janitor.stop();
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await home("early")).toEqual([month(0)]);
    const [lost] =
      await owner`select count(*)::int as rows from entitlements where user_id like 'load-%' and user_id not in (select user_id from entitlement_audit)`;
    expect(lost?.rows).toBe(0);
  });
});

test("a long read of the audit delays the dropping of months, and no grant", async () => {
  await append("oldest", -20);
  await make(3);
  const reader = await kenri.entitlementSql.reserve();
  await reader`begin`;
  await reader`select count(*) from entitlement_audit`;
  const dropping = drop(13).then(
    () => "dropped",
    error => error.code as string,
  );
  const since = performance.now();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => kenri.grant(`meanwhile-${n}`, "item1")));
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
  expect(performance.now() - since).toBeLessThan(2000);
  expect(await dropping).toBe("55P03");
  await reader`rollback`;
  reader.release();
  expect(await drop(13)).toEqual([month(-20)]);
});

describe("the janitor", () => {
  beforeEach(async () => void (await kenri.entitlementSql`truncate outbox_events, idempotency_keys`));

  test("deletes keys past their time, in batches until none is left, and no other", async () => {
    const old = { idem_key: "'old-' || n", expires_at: "now() - interval '1 second'" };
    await idempotencyKeys.put(kenri.entitlementSql, old, "generate_series(1, 2500) n");
    await idempotencyKeys.put(kenri.entitlementSql, { idem_key: "'live'" });
    const janitor = await kenri.start("entitlement:janitor");
    const left = async () => (await kenri.entitlementSql`select idem_key from idempotency_keys`).map(row => row.idem_key);
    await until("the old keys are gone", 10_000, async () => (await left()).length === 1);
    expect(await left()).toEqual(["live"]);
    await janitor.stop();
  });

  test("deletes events that are confirmed and past their retention; what waits, failed or is unconfirmed stays", async () => {
    const append = (name: string, age: string, status: string, confirmed: boolean) =>
      outboxEvents.put(kenri.entitlementSql, {
        event_id: `uuidv7(-${quoted(age)}::interval)`,
        aggregate_key: quoted(name),
        status: quoted(status),
        created_at: `now() - ${quoted(age)}::interval`,
        ...(status === "PUBLISHED" ? { published_at: "now()" } : {}),
        ...(confirmed ? { confirmed_at: "now()" } : {}),
      });
    await append("confirmed-old", "2 hours", "PUBLISHED", true);
    await append("confirmed-young", "30 minutes", "PUBLISHED", true);
    for (const status of ["PENDING", "IN_FLIGHT", "FAILED", "PUBLISHED"]) await append(`${status}-old`, "2 years", status, false);
    const janitor = await kenri.start("entitlement:janitor");
    const left = async () => (await kenri.entitlementSql`select aggregate_key from outbox_events order by 1`).map(row => row.aggregate_key);
    await until("the confirmed old one is gone", 10_000, async () => !(await left()).includes("confirmed-old"));
    await janitor.stop();
    expect((await left()).toSorted()).toEqual(["FAILED-old", "IN_FLIGHT-old", "PENDING-old", "PUBLISHED-old", "confirmed-young"]);
  });
});
