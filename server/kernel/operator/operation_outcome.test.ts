import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type OperationView, operators } from "../../testing/operators.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import { shares } from "./operation_outcome.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const isDone = ({ status }: OperationView) => status === "DONE";
const none = { delivered: 0, failed_again: 0, retrying: 0, on_the_way: 0, gone: 0, more: false };

describe.each([[outbox], [notifications]] as [Failing][])("what became of the rows of a bulk operation, $kind:", failing => {
  const { system, worker, kind, table, id } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  beforeAll(async () => {
    // Whatever is published or sent for these users fails, for good at the first attempt.
    kenri = await testKenri(
      { BULK_PACE: "20ms", FAULT_USER_PREFIX: "unlucky", OUTBOX_MAX_ATTEMPTS: "1", NOTIFICATION_MAX_ATTEMPTS: "1" },
      undefined,
      mint,
    );
    await kenri.start(`${system}:api`);
    people = operators(kenri, mint, failing);
  });
  afterAll(() => kenri.close());

  const change = (ids: readonly string[], to: string) =>
    failing.sql(kenri).unsafe(`update ${table} set ${to} where ${id} = any ($1::uuid[])`, [[...ids]]);
  const read = async (path: string) => JSON.parse((await people.ask("VIEWER", "GET", path)).text);
  const inList = async (wanted: string) =>
    (await read("/ops/operations?limit=200")).operations.find(({ operation_id }: OperationView) => operation_id === wanted).outcome;
  const subjects = async (operation_id: string, query: string): Promise<string[]> =>
    (await read(`/ops/operations/${operation_id}/items?limit=200&${query}`)).items.map((item: { subject: string }) => item.subject);

  test("rows that were requeued and failed again at once are shown as failed again, wherever the operation is shown", async () => {
    const bad = await failing.put(kenri, "unlucky", 12, "to fail twice");
    const good = await failing.put(kenri, "lucky", 5, "to fail once");
    const working = kenri.launch(worker);
    const { operation_id } = await people.started("OPERATOR", { error: "to fail twice" });
    const other = await people.started("OPERATOR", { error: "to fail once" });
    await people.reached(operation_id, isDone);
    const became = await people.reached(operation_id, ({ outcome }) => outcome?.failed_again === 12);
    expect(became).toMatchObject({ status: "DONE", total: 12, done: 12, outcome: { ...none, failed_again: 12 } });
    expect(await inList(operation_id)).toEqual({ ...none, failed_again: 12 });
    await people.reached(other.operation_id, ({ outcome }) => outcome?.delivered === 5);
    expect(await inList(other.operation_id)).toEqual({ ...none, delivered: 5 });
    expect(await working.stop()).toBe(0);
    const { items } = await read(`/ops/operations/${operation_id}/items?outcome=FAILED_AGAIN`);
    expect(items).toHaveLength(12);
    expect(items[0]).toEqual({
      subject: bad[0],
      result: "DONE",
      note: null,
      outcome: "FAILED_AGAIN",
      error: expect.stringContaining("fault"),
    });
    expect(await subjects(operation_id, "outcome=DELIVERED")).toEqual([]);
    expect(await subjects(other.operation_id, "outcome=DELIVERED")).toEqual(good);
  }, 40_000);

  test("each state that a row can have since is shown, and its items are found by it, page by page", async () => {
    const ids = await failing.put(kenri, "states", 10, "in every state");
    const { operation_id } = await people.started("OPERATOR", { error: "in every state" });
    expect(await people.operation(operation_id)).toMatchObject({ done: 0, outcome: none });
    const sql = failing.sql(kenri);
    await sql`update operation_items set result = 'DONE' where operation_id = ${operation_id} and position < 10`;
    await sql`update operation_items set result = 'SKIPPED', note = 'n' where operation_id = ${operation_id} and position = 10`;
    await sql`update operations set status = 'DONE', done = 9, skipped = 1, finished_at = now() where operation_id = ${operation_id}`;
    const [gone, due, waiting, delivered, held] = [ids.slice(0, 1), ids.slice(1, 2), ids.slice(2, 5), ids.slice(5, 6), ids.slice(6, 7)];
    await sql`delete from ${sql(table)} where ${sql(id)} = any (${gone}::uuid[])`;
    await change(due, "status = 'PENDING', attempt_count = 0");
    await change(waiting, "status = 'PENDING', attempt_count = 2, next_retry_at = now() + interval '1 hour'");
    await change(
      delivered,
      kind === "outbox" ? "status = 'PUBLISHED', published_at = now()" : "status = 'SENT', sent_at = now(), position = 1",
    );
    await change(
      held,
      `status = '${kind === "outbox" ? "IN_FLIGHT" : "PROCESSING"}', claim_token = gen_random_uuid(), lease_until = now()`,
    );
    const outcome = { delivered: 1, failed_again: 2, retrying: 3, on_the_way: 2, gone: 1, more: false };
    expect(await people.operation(operation_id)).toMatchObject({ outcome });
    expect(await inList(operation_id)).toEqual(outcome);
    for (const [name, wanted] of [
      ["DELIVERED", delivered],
      ["FAILED_AGAIN", ids.slice(7, 9)],
      ["RETRYING", waiting],
      ["ON_THE_WAY", [...due, ...held]],
      ["GONE", gone],
    ] as const)
      expect([name, await subjects(operation_id, `outcome=${name}`)]).toEqual([name, [...wanted]]);
    expect(await subjects(operation_id, "result=DONE")).toEqual(ids.slice(0, 9));
    expect(await subjects(operation_id, "")).toEqual(ids);
    const first = await read(`/ops/operations/${operation_id}/items?outcome=RETRYING&limit=2`);
    const second = await read(`/ops/operations/${operation_id}/items?outcome=RETRYING&limit=2&cursor=${first.next_cursor}`);
    expect([...first.items, ...second.items].map(item => item.subject)).toEqual(waiting);
    expect(second.next_cursor).toBeUndefined();
    const [skipped] = (await read(`/ops/operations/${operation_id}/items?result=SKIPPED`)).items;
    expect(skipped).toEqual({ subject: ids[9], result: "SKIPPED", note: "n", outcome: null, error: null });
  });

  test("an item far behind others is found on a later page", async () => {
    const sql = failing.sql(kenri);
    const [rare] = await failing.put(kenri, "rare", 1, "rare among many");
    const [made] = await sql`insert into operations (kind, action, filter, set_hash, reason, actor, status, total, done, finished_at)
      values (${kind}, 'requeue', '{}', 'h', 'r', 'a', 'DONE', 4001, 4001, now()) returning operation_id`;
    await sql`insert into operation_items select ${made!.operation_id}, n, gen_random_uuid(), 'DONE' from generate_series(1, 4000) n`;
    await sql`insert into operation_items values (${made!.operation_id}, 4001, ${rare!}, 'DONE')`;
    const items = `/ops/operations/${made!.operation_id}/items?outcome=FAILED_AGAIN`;
    let page = await read(items);
    expect(page).toEqual({ items: [], next_cursor: expect.any(String) });
    for (let n = 0; n < 3 && page.items.length === 0; n++) page = await read(`${items}&cursor=${page.next_cursor}`);
    expect(page.items.map((item: { subject: string }) => item.subject)).toEqual([rare]);
    expect(await people.operation(made!.operation_id)).toMatchObject({ outcome: { ...none, failed_again: 1, gone: 4000 } });
  });

  test("a discarded row has no outcome", async () => {
    await failing.put(kenri, "junk", 2, "to be thrown away");
    const { operation_id } = await people.started("ADMIN", { error: "to be thrown away" }, "discard");
    const working = kenri.launch(worker);
    expect(await people.reached(operation_id, isDone)).toMatchObject({ done: 2, outcome: null });
    expect(await working.stop()).toBe(0);
    expect((await read(`/ops/operations/${operation_id}/items`)).items).toMatchObject([{ outcome: null }, { outcome: null }]);
    expect(await subjects(operation_id, "outcome=GONE")).toEqual([]);
  }, 30_000);
});

test.each<[string, (readonly [number, string?])[], number[]]>([
  ["all rows of operations that fit", [[5], [3]], [3, 5]],
  ["of the large ones the same share, when the small ones had theirs", [[90], [10], [80]], [10, 45, 45]],
  ["nothing of what is not begun or discards", [[0], [7, "discard"], [4]], [4]],
])("an answer examines %s", (_, operations, scan) => {
  const given = operations.map(([done, action = "requeue"], n) => ({ operation_id: `${n}`, action, done }));
  expect(shares(given, 100).scan).toEqual(scan);
});
