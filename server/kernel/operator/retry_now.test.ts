import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type OperationView, operators } from "../../testing/operators.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const isDone = ({ status }: OperationView) => status === "DONE";
const forbidden = { status: 403, code: "FORBIDDEN" };

describe.each([[outbox], [notifications]] as [Failing][])("retry now, $kind:", failing => {
  const { system, worker, kind, table, id, audited, finished } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  beforeAll(async () => {
    kenri = await testKenri({ BULK_CAP: "20", BULK_BATCH: "7", BULK_PACE: "20ms" }, undefined, mint);
    await kenri.start(`${system}:api`);
    people = operators(kenri, mint, failing);
  });
  afterAll(() => kenri.close());

  const change = (ids: readonly string[], to: string) =>
    failing.sql(kenri).unsafe(`update ${table} set ${to} where ${id} = any ($1::uuid[])`, [[...ids]]);
  /** Rows that failed three times and wait for an hour. */
  async function retrying(user: string, count: number, error: string): Promise<string[]> {
    const ids = await failing.put(kenri, user, count, error);
    await change(ids, "status = 'PENDING', attempt_count = 3, next_retry_at = now() + interval '1 hour'");
    return ids;
  }
  const rows = (ids: readonly string[]) => {
    const sql = failing.sql(kenri);
    return sql`select *, next_retry_at <= now() as is_due from ${sql(table)} where ${sql(id)} = any (${[...ids]}::uuid[]) order by ${sql(id)}`;
  };
  const audits = (ids: readonly string[]) =>
    failing.sql(kenri)`select actor, action, reason, detail from operator_actions where subject = any (${[...ids]})`;
  const retry = (which: string, role = "OPERATOR") => people.post(role, `/ops/${kind}/${which}/retry`, { reason: "it is well again" });

  test("a waiting row is due at once, its attempts go on counting, and the audit names the operator", async () => {
    const [one] = await retrying("waits", 1, "for a while");
    const { status, text } = await retry(one!);
    expect([status, JSON.parse(text)]).toMatchObject([200, { [id]: one, status: "PENDING", attempt_count: 3 }]);
    const [row] = await rows([one!]);
    expect(row).toMatchObject({ status: "PENDING", attempt_count: 3, is_due: true, last_error: "for a while" });
    expect(await audits([one!])).toMatchObject([
      { actor: "user:operator", action: `${audited}.retry`, reason: "it is well again", detail: { attempt_count: 3 } },
    ]);
    // Asked again it keeps the place in the queue that it has.
    expect((await retry(one!.toUpperCase())).status).toBe(200);
    expect((await rows([one!]))[0]!.next_retry_at).toEqual(row!.next_retry_at);
  });

  test("a row that does not wait is unchanged, and the answer has its state", async () => {
    const [failed, held] = await failing.put(kenri, "elsewhere", 2, "not waiting");
    const holding = kind === "outbox" ? "IN_FLIGHT" : "PROCESSING";
    await change([held!], `status = '${holding}', claim_token = gen_random_uuid(), lease_until = now() + interval '1 hour'`);
    const before = await rows([failed!, held!]);
    for (const [which, state] of [
      [failed!, "FAILED"],
      [held!, holding],
    ] as const) {
      const answer = await retry(which);
      expectRefusal(answer, { status: 409, code: "NOT_WAITING" });
      expect(JSON.parse(answer.text)).toMatchObject({ state });
    }
    expect([...(await rows([failed!, held!]))]).toEqual([...before]);
    expect(await audits([failed!, held!])).toHaveLength(0);
  });

  test("only operators and admins do it, one or many", async () => {
    const [one] = await retrying("guarded", 1, "guarded");
    const seen = await people.preview({ error: "guarded" }, "retry");
    for (const role of ["VIEWER", "USER"]) {
      expectRefusal(await retry(one!, role), forbidden);
      expectRefusal(await people.start(role, { error: "guarded" }, seen, "retry"), forbidden);
    }
    const key = await kenri.newKey("reader", ["ops:read"]);
    expectRefusal(await retry(one!, key), forbidden);
    expect((await rows([one!]))[0]).toMatchObject({ is_due: false });
    expect((await retry(one!, "ADMIN")).status).toBe(200);
    expect((await retry(one!, await kenri.newKey("robot", ["ops:write"]))).status).toBe(200);
  });

  test("a preview to retry separates retrying rows from all others that match", async () => {
    const waiting = await retrying("mixed", 6, "all sorts");
    const fresh = await failing.put(kenri, "mixed-fresh", 3, "all sorts");
    await change(fresh, "status = 'PENDING', attempt_count = 0");
    await failing.put(kenri, "mixed-failed", 2, "all sorts");
    const preview = await people.preview({ error: "all sorts" }, "retry");
    expect(preview).toMatchObject({ count: 11, eligible: 6, ineligible: { PENDING: 3, FAILED: 2 }, sample: waiting.slice(-5).reverse() });
    expect(await people.preview({ error: "all sorts", status: "RETRYING" }, "retry")).toEqual({ ...preview, count: 6, ineligible: {} });
    expect(await people.preview({ error: "all sorts", status: "PENDING" }, "retry")).toMatchObject({
      eligible: 6,
      ineligible: { PENDING: 3 },
    });
    expect(await people.preview({ error: "all sorts", status: "FAILED" }, "retry")).toMatchObject({
      eligible: 0,
      ineligible: { FAILED: 2 },
    });
    expect(await people.preview({ error: "all sorts", status: "RETRYING" })).toMatchObject({ eligible: 0, ineligible: { RETRYING: 6 } });
    expect(await people.preview({ error: "all sorts" })).toMatchObject({ eligible: 2, ineligible: { PENDING: 9 } });
    const of = async (filter: object) => (await people.preview(filter, "retry")).eligible;
    expect(await of({ user_id: "mixed-1" })).toBe(1);
    expect(await of({ user_id: "mixed" })).toBe(0);
    expect(await of({ fingerprint: "all sorts" })).toBe(6);
    expect(await of({ fingerprint: "all sorts", user_id: "mixed-2" })).toBe(1);
    expect(await of({ error: "all sorts", min_attempts: 4 })).toBe(0);
    expect(await of({ error: "all sorts", created_to: "2020-01-01T00:00:00Z" })).toBe(0);
    expect(await of({ error: "all sorts", type: "EntitlementRevoked" })).toBe(0);
  });

  test("a set to retry that differs from its preview is not started; more than the cap takes ADMIN", async () => {
    const ids = await retrying("many", 21, "very many");
    const filter = { error: "very many", status: "RETRYING" };
    const seen = await people.preview(filter, "retry");
    expectRefusal(await people.start("OPERATOR", filter, seen, "retry"), { status: 403, code: "OVER_CAP" });
    await change(ids.slice(0, 1), "status = 'FAILED'");
    expectRefusal(await people.start("ADMIN", filter, seen, "retry"), { status: 409, code: "SET_CHANGED" });
    const again = await people.preview(filter, "retry");
    expect((await people.start("OPERATOR", filter, again, "retry")).status).toBe(202);
  });

  test("all retrying rows that match are tried at once, those that changed meanwhile are skipped, and the worker is woken", async () => {
    const ids = await retrying("hurried", 15, "in a hurry");
    const { operation_id } = await people.started("OPERATOR", { error: "in a hurry" }, "retry");
    await change(ids.slice(0, 1), "status = 'FAILED'");
    await change(ids.slice(1, 2), "attempt_count = 0");
    const working = kenri.launch(worker, { OUTBOX_POLL: "1m", NOTIFICATION_POLL: "1m", OUTBOX_SWEEP: "1m", NOTIFICATION_SWEEP: "1m" });
    expect(await people.reached(operation_id, isDone)).toMatchObject({ action: "retry", total: 15, done: 13, skipped: 2 });
    await until("they are delivered", 15_000, async () => (await rows(ids.slice(2))).every(row => row.status === finished));
    expect((await rows(ids)).slice(0, 2)).toMatchObject([{ status: "FAILED" }, { status: "PENDING", is_due: false }]);
    const { items } = JSON.parse((await people.ask("VIEWER", "GET", `/ops/operations/${operation_id}/items?result=SKIPPED`)).text);
    expect(items).toMatchObject([
      { subject: ids[0], note: "it is FAILED" },
      { subject: ids[1], note: "it does not retry" },
    ]);
    const noted = await audits(ids);
    expect(noted).toHaveLength(13);
    for (const one of noted) expect(one).toMatchObject({ action: `${audited}.retry`, detail: { operation_id, attempt_count: 3 } });
    expect(await people.operation(operation_id)).toMatchObject({ outcome: { delivered: 13, failed_again: 0, on_the_way: 0, more: false } });
    expect(await working.stop()).toBe(0);
  }, 40_000);

  test("a worker in the same process is woken for one row: it does not wait for the next poll", async () => {
    await kenri.start(`${system}:api ${worker}`, {
      OUTBOX_POLL: "1m",
      NOTIFICATION_POLL: "1m",
      OUTBOX_SWEEP: "1m",
      NOTIFICATION_SWEEP: "1m",
    });
    for (const user of ["first", "second"]) {
      const [one] = await retrying(user, 1, "woken");
      expect((await retry(one!)).status).toBe(200);
      await until(`${user} is delivered`, 15_000, async () => (await rows([one!]))[0]!.status === finished);
    }
  }, 40_000);
});
