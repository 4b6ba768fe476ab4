import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { counted } from "../../testing/counted.ts";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

describe.each([[outbox], [notifications]] as [Failing][])("the janitor, $system:", failing => {
  let kenri: TestKenri;
  beforeAll(async () => {
    kenri = await testKenri({ CLEANUP_EVERY: "100ms", OPERATION_RETENTION: "1h" });
  });
  afterAll(() => kenri.close());

  /** An operation that was started so long ago, and took a minute unless it still runs. */
  const put = (name: string, status: string, hours: number, items: number, minutes = 1) => {
    const sql = failing.sql(kenri);
    return sql`
      with operation as (
        insert into operations (operation_id, kind, action, filter, set_hash, reason, actor, status, total, done, created_at, finished_at, cancelled_by)
        select uuidv7(make_interval(hours => ${-hours})), ${failing.kind}, 'requeue', '{}', 'h', ${name}, 'user:operator', ${status}, ${items},
          case when ${status} = 'DONE' then ${items} else 0 end, now() - make_interval(hours => ${hours}),
          case when ${status} <> 'RUNNING' then now() - make_interval(hours => ${hours}, mins => ${-minutes}) end,
          case when ${status} = 'CANCELLED' then 'user:operator' end
        returning operation_id)
      insert into operation_items (operation_id, position, subject, result)
      select operation_id, n, gen_random_uuid(), case when ${status} = 'DONE' then 'DONE' else 'PENDING' end from operation, generate_series(1, ${items}) n`;
  };
  const kept = async () => {
    const rows = await failing.sql(
      kenri,
    )`select reason, count(position)::int as items from operations left join operation_items using (operation_id)
      group by operation_id order by reason`;
    return Object.fromEntries(rows.map(row => [row.reason, row.items]));
  };

  test("finished operations are deleted after their retention with their items, however many; running and lately finished ones stay", async () => {
    await put("done long ago", "DONE", 5, 2500);
    await put("cancelled long ago", "CANCELLED", 4, 7);
    await put("empty, long ago", "DONE", 3, 0);
    await put("finished lately", "DONE", 3, 4, 150);
    await put("young", "DONE", 0, 5);
    await put("running for long", "RUNNING", 5000, 3);
    await failing.sql(
      kenri,
    )`insert into operator_actions (at, actor, action, subject, reason) values (now() - interval '5 years', 'a', 'operation.start', 's', 'r')`;
    const janitor = await kenri.start(`${failing.system}:janitor`, { HEALTH_PORT: "0" });
    const wanted = { "finished lately": 4, "running for long": 3, young: 5 };
    await until("what is old is gone", 10_000, async () => Bun.deepEquals(await kept(), wanted)).catch(() => {});
    expect(await kept()).toEqual(wanted);
    expect(await counted(2507, () => janitor.metric("kenri_cleanup_deleted_total", 'table="operation_items"'))).toBe(2507);
    expect(await failing.sql(kenri)`select from operator_actions`).toHaveLength(1);
    expect(await janitor.stop()).toBe(0);
  });
});
