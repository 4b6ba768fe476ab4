import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type OperationView, operators } from "../../testing/operators.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

const isDone = ({ status }: OperationView) => status === "DONE";

describe.each([[outbox], [notifications]] as [Failing][])("a batch that the database refuses, $kind:", failing => {
  const { system, worker, table, id, audited } = failing;
  let kenri: TestKenri;
  let people: ReturnType<typeof operators>;
  beforeAll(async () => {
    kenri = await testKenri({ BULK_BATCH: "10", BULK_PACE: "20ms" }, undefined, mint);
    await kenri.start(`${system}:api`);
    people = operators(kenri, mint, failing);
    // Whoever changes or deletes a row of a user `…-<n>` that is listed here is refused, in words of its own.
    await failing.sql(kenri).unsafe(`
      create table forbidden (id uuid primary key);
      grant select on forbidden to public;
      create function refuse() returns trigger language plpgsql as $$
      begin
        if exists (select from forbidden where id = old.${id}) then raise exception 'the row % is under seal', old.${id} using errcode = '23514'; end if;
        return coalesce(new, old);
      end $$;
      create trigger refuse before update or delete on ${table} for each row execute function refuse();`);
  });
  afterAll(() => kenri.close());

  const seal = (ids: readonly string[]) => failing.sql(kenri)`insert into forbidden select unnest(${[...ids]}::uuid[])`;
  const items = async (operation_id: string, result: string) =>
    JSON.parse((await people.ask("VIEWER", "GET", `/ops/operations/${operation_id}/items?result=${result}&limit=200`)).text).items;
  const audits = async (ids: readonly string[], action: string) =>
    (
      await failing.sql(
        kenri,
      )`select subject from operator_actions where action = ${`${audited}.${action}`} and subject = any (${[...ids]})`
    ).length;

  test.each(["requeue", "discard"])(
    "%s: the good rows are done, the refused ones are FAILED with the reason, and it ends",
    async action => {
      const ids = await failing.put(kenri, `some-${action}`, 35, `sealed ${action}`);
      const bad = [ids[3]!, ids[17]!, ids[18]!];
      await seal(bad);
      const { operation_id } = await people.started("ADMIN", { error: `sealed ${action}` }, action);
      await failing.put(kenri, `beside-${action}`, 3, `beside ${action}`);
      const beside = await people.started("ADMIN", { error: `beside ${action}` }, action);
      const working = kenri.launch(worker);
      expect(await people.reached(operation_id, isDone)).toMatchObject({ total: 35, done: 32, skipped: 0, failed: 3 });
      expect(await items(operation_id, "FAILED")).toMatchObject(
        bad.map(subject => ({ subject, result: "FAILED", note: `23514: the row ${subject} is under seal`, outcome: null })),
      );
      expect(await items(operation_id, "DONE")).toHaveLength(32);
      expect([await audits(ids, action), await audits(bad, action)]).toEqual([32, 0]);
      const sql = failing.sql(kenri);
      const left = await sql`select status from ${sql(table)} where ${sql(id)} = any (${bad}::uuid[])`;
      expect(left.map(row => row.status)).toEqual(["FAILED", "FAILED", "FAILED"]);
      // A small operation did not wait behind the one in trouble.
      const [one, other] = [await people.reached(beside.operation_id, isDone), await people.operation(operation_id)];
      expect(one).toMatchObject({ done: 3, failed: 0 });
      expect(one.finished_at! < other.finished_at!).toBe(true);
      expect(await working.stop()).toBe(0);
    },
  );

  test("a database that is away, busy or wrongly set up is retried, however often, and no row is given up", async () => {
    const ids = await failing.put(kenri, "away", 5, "held up");
    const { operation_id } = await people.started("OPERATOR", { error: "held up" });
    const sql = failing.sql(kenri);
    // As a lock that is not given, or a session that is ended by hand, would say it; more often than a refused batch is tried.
    await sql.unsafe(`
      create sequence tries;
      grant usage on sequence tries to public;
      create function hold_up() returns trigger language plpgsql as $$
      declare try int := nextval('tries');
      begin
        if try <= 1 then raise exception 'busy' using errcode = '55P03'; end if;
        if try <= 2 then raise exception 'deadlock' using errcode = '40P01'; end if;
        if try <= 4 then raise exception 'permission denied' using errcode = '42501'; end if;
        if try <= 5 then perform pg_terminate_backend(pg_backend_pid()); end if;
        return new;
      end $$;
      create trigger hold_up before update on operation_items for each statement execute function hold_up();`);
    const working = kenri.launch(worker);
    expect(await people.reached(operation_id, isDone, 60_000)).toMatchObject({ total: 5, done: 5, failed: 0 });
    const [seen] = await sql`select last_value::int as tries from tries`;
    expect(seen?.tries).toBeGreaterThan(5);
    expect(await audits(ids, "requeue")).toBe(5);
    expect(await working.stop()).toBe(0);
    await sql`drop trigger hold_up on operation_items`;
  }, 90_000);

  test("an operation that is cancelled after a refused batch stays cancelled", async () => {
    const ids = await failing.put(kenri, "given-up", 4, "to be given up");
    await seal(ids.slice(0, 1));
    const { operation_id } = await people.started("OPERATOR", { error: "to be given up" });
    expect((await people.post("OPERATOR", `/ops/operations/${operation_id}/cancel`, { reason: "enough" })).status).toBe(200);
    const sql = failing.sql(kenri);
    const text = await Bun.file("sql/kernel/operations/fail_item.sql").text();
    expect(await sql.unsafe(text, [operation_id, 1, "too late"])).toHaveLength(0);
    expect(await people.operation(operation_id)).toMatchObject({ status: "CANCELLED", done: 0, failed: 0 });
    expect(await items(operation_id, "PENDING")).toHaveLength(4);
  });
});
