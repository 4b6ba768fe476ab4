import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type OperationView, operators } from "../../testing/operators.ts";
import { expectRefusal, type Refusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const invalid = (pointer?: string): Refusal => ({ status: 400, code: "INVALID_REQUEST", ...(pointer === undefined ? {} : { pointer }) });
const forbidden: Refusal = { status: 403, code: "FORBIDDEN" };
const hash = "0".repeat(64);
const isDone = ({ status }: OperationView) => status === "DONE";

describe.each([[outbox], [notifications]] as [Failing][])("bulk actions, $kind:", failing => {
  const { system, worker, kind, table, id, audited, finished } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  let key: string;
  beforeAll(async () => {
    kenri = await testKenri({ BULK_CAP: "20", BULK_BATCH: "7", BULK_PACE: "20ms" }, undefined, mint);
    key = await kenri.newKey("robot", ["ops:read", "ops:write"]);
    await kenri.start(`${system}:api`);
    people = operators(kenri, mint, failing);
  });
  afterAll(() => kenri.close());

  const rows = (ids: readonly string[]) => {
    const sql = failing.sql(kenri);
    return sql`select * from ${sql(table)} where ${sql(id)} = any (${[...ids]}::uuid[])`;
  };
  const change = (ids: readonly string[], to: Record<string, string | number | null>) => {
    const sql = failing.sql(kenri);
    return sql`update ${sql(table)} set ${sql(to)} where ${sql(id)} = any (${[...ids]}::uuid[])`;
  };
  const written = async () => {
    const [counts] = await failing.sql(kenri)`select (select count(*) from operations) + (select count(*) from operation_items)
      + (select count(*) from operator_actions) as rows`;
    return counts!.rows as number;
  };

  test("a preview shows what matches, what of it is eligible and why the rest is not, and changes nothing", async () => {
    const ids = await failing.put(kenri, "seen", 12, "seen by all");
    await change(ids.slice(0, 2), { status: "PENDING" });
    const before = await written();
    const preview = await people.preview({ error: "SEEN by" });
    expect(preview).toEqual({
      count: 12,
      eligible: 10,
      ineligible: { PENDING: 2 },
      set_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      sample: ids.slice(-5).reverse(),
    });
    expect(await people.preview({ error: "seen by", status: "FAILED" })).toEqual({ ...preview, count: 10, ineligible: {} });
    expect(await people.preview({ error: "seen by", status: "PENDING" })).toMatchObject({
      count: 2,
      eligible: 0,
      ineligible: { PENDING: 2 },
    });
    expect(await written()).toBe(before);
    expect((await rows(ids)).map(row => row.status).sort()).toEqual([...Array(10).fill("FAILED"), "PENDING", "PENDING"]);
  });

  test("each filter selects the rows that it describes", async () => {
    const [one, other] = [
      await failing.put(kenri, "pick", 1, 'no answer to "a" in 5 ms'),
      await failing.put(kenri, "pick:item", 1, "100%_of it"),
    ];
    await change(other, {
      attempt_count: 3,
      created_at: "2020-02-29T12:00:00Z",
      [kind === "outbox" ? "event_type" : "type"]: "EntitlementRevoked",
    });
    const picked = async (filter: unknown) => (await people.preview(filter)).sample;
    expect(await picked({ user_id: "pick-1" })).toEqual(one);
    expect(await picked({ user_id: "pick" })).toEqual([]);
    expect(await picked({ user_id: "pick:item-1" })).toEqual(other);
    expect(await picked({ fingerprint: "no answer to <text> in <n> ms" })).toEqual(one);
    expect(await picked({ error: "%_OF" })).toEqual(other);
    expect(await picked({ error: "o%t" })).toEqual([]);
    expect(await picked({ user_id: "pick-1", min_attempts: 10 })).toEqual(one);
    expect(await picked({ user_id: "pick:item-1", min_attempts: 4 })).toEqual([]);
    expect(await picked({ type: "EntitlementRevoked" })).toEqual(other);
    expect(await picked({ created_to: "2020-02-29T12:00:00.000001Z" })).toEqual(other);
    expect(await picked({ created_to: "2020-02-29T12:00:00Z" })).toEqual([]);
    expect(await picked({ created_from: "2020-02-29T13:00:00+01:00", created_to: "2021-01-01T00:00:00Z" })).toEqual(other);
  });

  test("a filter that matches nothing selects 0 rows, never all; its operation is done at once", async () => {
    const filter = { user_id: "nobody" };
    const preview = await people.preview(filter);
    expect(preview).toMatchObject({ count: 0, eligible: 0, ineligible: {}, sample: [] });
    const { status, text } = await people.start("OPERATOR", filter, preview);
    expect([status, JSON.parse(text)]).toMatchObject([202, { status: "DONE", total: 0, done: 0, skipped: 0, failed: 0, filter }]);
  });

  test("a set that differs from its preview is not started, and nothing is written", async () => {
    const [first, ...others] = await failing.put(kenri, "moving", 5, "moving about");
    const filter = { error: "moving about" };
    const preview = await people.preview(filter);
    const before = await written();
    const refused = async (changed = preview) =>
      expectRefusal(await people.start("OPERATOR", filter, changed), { status: 409, code: "SET_CHANGED" });
    await refused({ ...preview, eligible: 4 });
    await refused({ ...preview, set_hash: hash });
    await change([first!], { status: "PENDING" });
    await refused();
    await failing.put(kenri, "moving-on", 1, "moving about"); // as many as before, but others
    await refused();
    expect(await written()).toBe(before);
    expect((await rows(others)).map(row => row.status)).toEqual(Array(4).fill("FAILED"));
  });

  test("VIEWER starts nothing, OPERATOR and keys neither discard nor go over the cap, ADMIN does", async () => {
    await failing.put(kenri, "cap", 21, "over the cap");
    await failing.put(kenri, "few", 2, "a few");
    const many = { error: "over the cap" };
    const few = { error: "a few" };
    const [manySeen, fewSeen] = [await people.preview(many), await people.preview(few)];
    const before = await written();
    const cancel = `/ops/operations/${crypto.randomUUID()}/cancel`;
    for (const role of ["VIEWER", "USER"]) {
      expectRefusal(await people.start(role, few, fewSeen), forbidden);
      expectRefusal(await people.post(role, `/ops/${kind}/bulk/preview`, { action: "requeue", filter: few }), forbidden);
      expectRefusal(await people.post(role, cancel, { reason: "no" }), forbidden);
    }
    expectRefusal(await people.ask("USER", "GET", "/ops/operations"), forbidden);
    for (const role of ["OPERATOR", key]) {
      expectRefusal(await people.start(role, few, fewSeen, "discard"), forbidden);
      expectRefusal(await people.start(role, many, manySeen), { status: 403, code: "OVER_CAP" });
      // To say fewer than there are does not help.
      expectRefusal(await people.start(role, many, { ...manySeen, eligible: 20 }), { status: 409, code: "SET_CHANGED" });
      expectRefusal(await people.post(role, `/ops/${kind}/${fewSeen.sample[0]}/discard`, { reason: "no" }), forbidden);
    }
    expect(await written()).toBe(before);
    expect((await people.start("ADMIN", many, manySeen)).status).toBe(202);
    expect((await people.start(key, few, fewSeen)).status).toBe(202);
  });

  test("operations and their items are listed in pages; a cursor is valid for its own list only", async () => {
    await failing.put(kenri, "pages", 5, "in pages");
    const { operation_id } = await people.started("OPERATOR", { error: "in pages" });
    const read = async (path: string) => JSON.parse((await people.ask("VIEWER", "GET", path)).text);
    const newest = await read("/ops/operations?limit=1");
    expect(newest.operations).toMatchObject([
      { operation_id, kind, action: "requeue", actor: "user:operator", reason: "the cause is gone" },
    ]);
    const next = await read(`/ops/operations?limit=1&cursor=${newest.next_cursor}`);
    expect(next.operations[0].operation_id < operation_id).toBe(true);
    const items = `/ops/operations/${operation_id}/items`;
    const first = await read(`${items}?limit=3&result=PENDING`);
    const second = await read(`${items}?limit=3&result=PENDING&cursor=${first.next_cursor}`);
    expect([first.items.length, second.items.length, second.next_cursor]).toEqual([3, 2, undefined]);
    expect([...first.items, ...second.items]).toEqual((await read(items)).items);
    expect(first.items[0]).toEqual({ subject: expect.any(String), result: "PENDING", note: null, outcome: null, error: null });
    expect((await read(`${items}?result=DONE`)).items).toEqual([]);
    for (const path of [
      `${items}?cursor=${first.next_cursor}`,
      `${items}?cursor=${newest.next_cursor}`,
      `/ops/operations?cursor=${first.next_cursor}`,
    ])
      expectRefusal(await people.ask("VIEWER", "GET", path), invalid());
  });

  test("one FAILED row is discarded, and a second request gets the same answer; its audit row keeps what it was", async () => {
    const [id, pending] = await failing.put(kenri, "single", 2, "beyond help");
    await change([pending!], { status: "PENDING" });
    const [was] = await rows([id!]);
    const discard = (which: string) => people.post("ADMIN", `/ops/${kind}/${which}/discard`, { reason: "it is junk" });
    const answers = await Promise.all([discard(id!), discard(id!.toUpperCase())]);
    expect(answers.map(answer => answer.status)).toEqual([200, 200]);
    expect(await rows([id!])).toHaveLength(0);
    const noted = await failing.sql(kenri)`select actor, action, reason, detail from operator_actions where subject = ${id!}`;
    expect(noted).toHaveLength(1);
    expect(noted[0]).toMatchObject({ actor: "user:admin", action: `${audited}.discard`, reason: "it is junk" });
    expect(noted[0]!.detail).toMatchObject({ [failing.id]: id, last_error: "beyond help", attempt_count: 10, payload: was!.payload });
    expect(noted[0]!.detail).not.toHaveProperty("claim_token");
    if (kind === "notifications") {
      expect(noted[0]!.detail).toMatchObject({
        dead: { reason: "beyond help", attempts: 10 },
        attempts: [{ number: 10, outcome: "retry" }],
      });
      expect(await kenri.notificationSql`select from notification_dlq where notification_id = ${id!}`).toHaveLength(0);
    }
    expectRefusal(await discard(pending!), { status: 409, code: "NOT_FAILED" });
  });

  test("the worker of the rows is woken: they do not wait for the next poll", async () => {
    const idle = kenri.launch(worker, { OUTBOX_POLL: "1m", NOTIFICATION_POLL: "1m", OUTBOX_SWEEP: "1m", NOTIFICATION_SWEEP: "1m" });
    for (const error of ["the first time", "the second time"]) {
      const ids = await failing.put(kenri, error.replaceAll(" ", "-"), 3, error);
      await people.reached((await people.started("OPERATOR", { error })).operation_id, isDone);
      await until(`${error}: they are ${finished}`, 15_000, async () => (await rows(ids)).every(row => row.status === finished));
    }
    expect(await idle.stop()).toBe(0);
  }, 40_000);

  test("operations are processed: rows requeued, rows discarded with their audit; a finished operation cannot be cancelled", async () => {
    const put = await failing.put(kenri, "back", 20, "to be requeued");
    const junk = await failing.put(kenri, "junk", 15, "to be discarded");
    const requeue = await people.started("OPERATOR", { error: "to be requeued" });
    const discard = await people.started("ADMIN", { error: "to be discarded" }, "discard");
    await change(put.slice(0, 1), { status: "PENDING" });
    const sql = failing.sql(kenri);
    await sql`delete from ${sql(table)} where ${sql(failing.id)} = ${junk[0]!}`;
    kenri.launch(worker);
    expect(await people.reached(requeue.operation_id, isDone)).toMatchObject({ total: 20, done: 19, skipped: 1 });
    expect(await people.reached(discard.operation_id, isDone)).toMatchObject({ total: 15, done: 14, skipped: 1 });
    const skipped = async ({ operation_id }: OperationView) =>
      JSON.parse((await people.ask("VIEWER", "GET", `/ops/operations/${operation_id}/items?result=SKIPPED`)).text).items;
    expect(await skipped(requeue)).toMatchObject([{ subject: put[0], note: expect.stringMatching(/^it is [A-Z_]+$/) }]);
    expect(await skipped(discard)).toMatchObject([{ subject: junk[0], result: "SKIPPED", note: "it is no longer there" }]);
    expect(await rows(junk)).toHaveLength(0);
    const noted = await sql`select detail from operator_actions where subject = any (${junk}) and action = ${`${audited}.discard`}`;
    expect(noted).toHaveLength(14);
    for (const { detail } of noted) expect(detail).toMatchObject({ last_error: "to be discarded", operation_id: discard.operation_id });
    const cancel = await people.post("OPERATOR", `/ops/operations/${requeue.operation_id}/cancel`, { reason: "too late" });
    expectRefusal(cancel, { status: 409, code: "NOT_RUNNING" });
  });
});
