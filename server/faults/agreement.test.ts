import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { type Failing, notifications, outbox } from "../testing/failed.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { operators } from "../testing/operators.ts";
import { type TestMint, testMint } from "../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri(
    { BULK_BATCH: "20", BULK_PACE: "20ms", OUTBOX_MAX_ATTEMPTS: "1", NOTIFICATION_MAX_ATTEMPTS: "1" },
    undefined,
    mint,
  );
  await kenri.start("entitlement:api notification:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

type Query = Record<string, string>;
interface Counts {
  readonly counts: Record<string, { readonly count: number; readonly more: boolean }>;
}
const sum = ({ counts }: Counts) => Object.values(counts).reduce((all, one) => all + one.count, 0);
const grants = 900;
// Open rows are listed in the order of their turn, all others newest first.
const turns: Record<string, string> = { PENDING: "next_retry_at", IN_FLIGHT: "lease_until", PROCESSING: "lease_until" };

/** The counts and lists of a system as the console reads them. */
function reader({ system, kind, id }: Failing) {
  const get = async (path: string, query: Query) => {
    const response = await kenri.call(system, `/ops/${kind}${path}?${new URLSearchParams(query)}`);
    expect(response.status).toBe(200);
    return response.json() as Promise<unknown>;
  };
  return {
    counts: async (query: Query = {}) => (await get("/counts", query)) as Counts,
    async walk(query: Query): Promise<string[]> {
      const seen: string[] = [];
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const page = (await get("", { ...query, limit: "100", ...(cursor ? { cursor } : {}) })) as Record<string, unknown>;
        seen.push(...(page[kind === "outbox" ? "events" : kind] as Record<string, string>[]).map(row => row[id]!));
        cursor = page.next_cursor as string | undefined;
      }
      return seen;
    },
  };
}

test("under grants, failing publishes, dead deliveries and bulk requeues no count loses or doubles a row, and at the end all counts and lists agree", async () => {
  const relay = kenri.launch("entitlement:relay", { FAULT_USER_PREFIX: "lost" });
  const rest = kenri.launch("notification:consumer notification:sender", { FAULT_USER_PREFIX: "dead" });
  let [asked, answered, isFlowing] = [0, 0, true];

  const grant = async () => {
    while (asked < grants) {
      const n = asked++;
      expect((await kenri.grant(`${["lost", "dead", "fine"][n % 3]}-${n % 30}`, `item-${n}`)).status).toBe(200);
      answered++;
    }
  };
  const requeue = async (failing: Failing) => {
    const people = operators(kenri, mint, failing);
    let started = 0;
    while (isFlowing) {
      const filter = { status: "FAILED" };
      const { status } = await people.start("ADMIN", filter, await people.preview(filter));
      if (status === 202) started++;
    }
    return started;
  };
  // Nothing is deleted meanwhile. So the sum over the states includes every row from before the read, no row that was not requested yet, and never falls.
  const look = async (failing: Failing) => {
    const { counts, walk } = reader(failing);
    let [looks, before] = [0, 0];
    while (isFlowing) {
      const surely = failing.kind === "outbox" ? answered : before;
      const all = sum(await counts());
      expect(all).toBeGreaterThanOrEqual(Math.max(surely, before));
      expect(all).toBeLessThanOrEqual(asked);
      before = all;
      const failed = await walk({ status: "FAILED" });
      expect(new Set(failed).size).toBe(failed.length);
      looks++;
    }
    return looks;
  };

  const work = Promise.all([look(outbox), look(notifications), requeue(outbox), requeue(notifications)]);
  await Promise.all(Array.from({ length: 6 }, grant)).finally(() => (isFlowing = false));
  const [outboxLooks, inboxLooks, ...requeues] = await work;
  expect(Math.min(outboxLooks, inboxLooks)).toBeGreaterThan(5);
  expect(Math.min(...requeues)).toBeGreaterThan(0);

  await until("the operations end", 60_000, async () =>
    (
      await Promise.all([kenri.entitlementSql, kenri.notificationSql].map(sql => sql`select from operations where status = 'RUNNING'`))
    ).every(rows => rows.length === 0),
  );
  expect([await relay.stop(), await rest.stop()]).toEqual([0, 0]);

  for (const failing of [outbox, notifications]) {
    const { counts, walk } = reader(failing);
    const sql = failing.sql(kenri);
    const user = failing.kind === "outbox" ? sql`payload ->> 'user_id'` : sql`user_id`;
    const filters: [Query, ReturnType<typeof sql>][] = [
      [{}, sql`true`],
      [{ user_id: "lost-3" }, sql`${user} = 'lost-3'`],
      [{ user_id: "dead-4" }, sql`${user} = 'dead-4'`],
      [{ error: "fault" }, sql`last_error ilike '%fault%'`],
      [{ error: "nobody said this" }, sql`false`],
      [{ min_attempts: "1" }, sql`attempt_count >= 1`],
      [{ type: "EntitlementRevoked" }, sql`false`],
      [{ created_from: "2020-01-01T00:00:00Z" }, sql`true`],
      ...(await sql`select distinct fingerprint(last_error) as name from ${sql(failing.table)} where last_error is not null`).map(
        ({ name }): [Query, ReturnType<typeof sql>] => [{ fingerprint: name }, sql`fingerprint(last_error) = ${name}`],
      ),
    ];
    for (const [query, where] of filters) {
      const told = await counts(query);
      const all = await walk(query);
      expect(sum(told)).toBe(all.length);
      for (const [status, { count, more }] of Object.entries(told.counts)) {
        const turn = query.user_id ? undefined : turns[status];
        const order = turn ? sql`${sql(turn)}, 1` : sql`1 desc`;
        const truth =
          await sql`select ${sql(failing.id)} as id from ${sql(failing.table)} where status = ${status} and ${where} order by ${order}`;
        const listed = await walk({ ...query, status });
        expect({ query, status, listed }).toEqual({ query, status, listed: truth.map(row => row.id as string) });
        expect({ query, status, count, more }).toEqual({ query, status, count: truth.length, more: false });
      }
    }
    expect(sum(await counts())).toBe((await sql`select from ${sql(failing.table)}`).length);
    expect((await counts()).counts.FAILED!.count).toBeGreaterThan(0);
  }
  expect(sum(await reader(outbox).counts())).toBe(grants);
}, 180_000);
