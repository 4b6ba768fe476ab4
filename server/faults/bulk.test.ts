import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { type Failing, notifications, outbox } from "../testing/failed.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { type OperationView, operators } from "../testing/operators.ts";
import { type TestMint, testMint } from "../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const isDone = ({ status }: OperationView) => status === "DONE";

describe.each([[outbox], [notifications]] as [Failing][])("bulk operations, $kind:", failing => {
  const { system, worker, table, id, audited, finished } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  beforeAll(async () => {
    kenri = await testKenri({ BULK_BATCH: "100", BULK_PACE: "20ms", OUTBOX_LEASE: "2s", NOTIFICATION_LEASE: "2s" }, undefined, mint);
    await kenri.start(`${system}:api`);
    people = operators(kenri, mint, failing);
  });
  afterAll(() => kenri.close());

  const audits = (subjects: readonly string[]) =>
    failing.sql(kenri)`select subject, actor, reason, detail ->> 'operation_id' as operation_id from operator_actions
      where action = ${`${audited}.requeue`} and subject = any (${[...subjects]})`;
  const counted = async (operation_id: string) =>
    Object.fromEntries(
      (
        await failing.sql(kenri)`select result, count(*)::int from operation_items where operation_id = ${operation_id} group by result`
      ).map(row => [row.result, row.count]),
    );
  /** A statement of a killed worker is finished by the server or has no effect: waits until its sessions have ended. */
  const sessionsEnded = () =>
    until("the sessions of the killed end", 10_000, async () => {
      const sql = failing.sql(kenri);
      return (
        (await sql`select from pg_stat_activity where datname = current_database() and application_name like ${`${worker}@%`}`).length === 0
      );
    });
  const delivered = (ids: readonly string[]) =>
    until(`${ids.length} are ${finished}`, 60_000, async () => {
      const sql = failing.sql(kenri);
      return (
        (await sql`select from ${sql(table)} where ${sql(id)} = any (${[...ids]}::uuid[]) and status = ${finished}`).length === ids.length
      );
    });

  test("5,000 rows and a worker that is killed several times: each row changes once, has one audit row, and the numbers are exact", async () => {
    const ids = await failing.put(kenri, "many", 5000);
    const { operation_id } = await people.started("ADMIN", { error: "made to fail", status: "FAILED" });
    for (const enough of [300, 1500, 3000]) {
      const victims = [kenri.launch(worker), kenri.launch(worker)];
      const { done } = await people.reached(operation_id, operation => operation.done >= enough);
      for (const victim of victims) victim.kill("SIGKILL");
      await Promise.all(victims.map(victim => victim.exited));
      await sessionsEnded();
      expect(done).toBeLessThan(5000);
      const seen = await people.operation(operation_id);
      expect(await counted(operation_id)).toMatchObject({ DONE: seen.done, PENDING: 5000 - seen.done });
      expect(await audits(ids)).toHaveLength(seen.done);
    }
    kenri.launch(worker);
    expect(await people.reached(operation_id, isDone)).toMatchObject({ total: 5000, done: 5000, skipped: 0, failed: 0 });
    expect(await counted(operation_id)).toEqual({ DONE: 5000 });
    const noted = await audits(ids);
    expect(new Set(noted.map(({ subject }) => subject))).toEqual(new Set(ids));
    expect(noted).toHaveLength(5000);
    expect(new Set(noted.map(row => [row.actor, row.reason, row.operation_id].join()))).toEqual(
      new Set([`user:admin,the cause is gone,${operation_id}`]),
    );
    await delivered(ids);
    if (system === "entitlement")
      expect(await kenri.entitlementSql`select from outbox_events where publish_generation <> 1`).toHaveLength(0);
    else expect(await kenri.notificationSql`select from notification_dlq where requeued_by = 'user:admin'`).toHaveLength(5000);
  }, 120_000);

  test("two operators start the same set at once: no row changes twice, and the second one gets the reason", async () => {
    const ids = await failing.put(kenri, "both", 600, "wanted by two");
    const filter = { error: "WANTED by two" };
    const preview = await people.preview(filter);
    expect(preview).toMatchObject({ count: 600, eligible: 600, ineligible: {} });
    const answers = await Promise.all([people.start("OPERATOR", filter, preview), people.start("ADMIN", filter, preview)]);
    expect(answers.map(answer => answer.status)).toEqual([202, 202]);
    const [one, other] = answers.map(answer => JSON.parse(answer.text) as OperationView);
    for (const _ of [1, 2, 3]) kenri.launch(worker);
    const ends = [await people.reached(one!.operation_id, isDone), await people.reached(other!.operation_id, isDone)];
    expect(ends[0]!.done + ends[1]!.done).toBe(600);
    expect(ends.map(({ done, skipped }) => done + skipped)).toEqual([600, 600]);
    const noted = await audits(ids);
    expect(noted).toHaveLength(600);
    expect(new Set(noted.map(({ subject }) => subject)).size).toBe(600);
    for (const { operation_id, actor, done } of ends)
      expect(noted.filter(row => row.operation_id === operation_id && row.actor === actor)).toHaveLength(done);
    const late = ends.find(({ skipped }) => skipped > 0)!;
    const page = await people.ask("VIEWER", "GET", `/ops/operations/${late.operation_id}/items?result=SKIPPED&limit=200`);
    const notes = new Set((JSON.parse(page.text).items as { note: string }[]).map(({ note }) => note));
    for (const note of notes) expect(note).toMatch(/^(somebody else was faster|it is (PENDING|IN_FLIGHT|PUBLISHED|PROCESSING|SENT))$/);
    await delivered(ids);
  }, 60_000);

  test("cancelled midway: finished rows stay changed, the rest is not touched, and other operations continue", async () => {
    const ids = await failing.put(kenri, "half", 1000, "half of it");
    const { operation_id } = await people.started("OPERATOR", { error: "half of it" });
    await people.reached(operation_id, operation => operation.done >= 100);
    const cancel = () => people.post("OPERATOR", `/ops/operations/${operation_id}/cancel`, { reason: "the cause is back" });
    const answers = await Promise.all([cancel(), cancel()]);
    expect(answers.map(answer => answer.status)).toEqual([200, 200]);
    const cancelled = JSON.parse(answers[0]!.text);
    expect(cancelled).toMatchObject({ status: "CANCELLED", cancelled_by: "user:operator", finished_at: expect.any(String) });
    expect(cancelled.done).toBeLessThan(1000);
    // A later operation that is done shows that the worker has run since.
    await failing.put(kenri, "after", 5, "after that");
    await people.reached((await people.started("OPERATOR", { error: "after that" })).operation_id, isDone);
    // The rows that were requeued before are delivered.
    expect({ ...(await people.operation(operation_id)), outcome: null }).toEqual({ ...cancelled, outcome: null });
    expect(await counted(operation_id)).toEqual({ DONE: cancelled.done, PENDING: 1000 - cancelled.done });
    expect(await audits(ids)).toHaveLength(cancelled.done);
    const noted = await failing.sql(
      kenri,
    )`select reason from operator_actions where subject = ${operation_id} and action = 'operation.cancel'`;
    expect([...noted]).toEqual([{ reason: "the cause is back" }]);
    // Another operation can requeue the rest.
    expect(await people.preview({ error: "half of it", status: "FAILED" })).toMatchObject({ eligible: 1000 - cancelled.done });
  }, 60_000);
});
