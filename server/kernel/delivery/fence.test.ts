import { expect, test } from "bun:test";
import { DeadlineError } from "../life/deadline.ts";
import { type Log, silentLog } from "../telemetry/log.ts";
import { fence } from "./fence.ts";
import { fixedLease } from "./lease.ts";

const running = new AbortController().signal;

function underTest() {
  const seen = { fenced: 0, said: [] as object[] };
  const log = Object.assign(Object.create(silentLog), {
    warn: (fields: object, msg: string) => void seen.said.push({ ...fields, msg }),
  }) as Log;
  const settle = fence({
    name: "rows",
    ids: "row_ids",
    idOf: (row: { id: string }) => row.id,
    counter: {
      inc(count) {
        seen.fenced += count;
      },
    },
    worker: "w",
    log,
  });
  const settlement = { what: "finalize", lease: fixedLease(5000), stopping: running, ids: ["a", "b"], traces: () => [] };
  return { seen, settle, settlement };
}

test("a row that the statement did not change was reclaimed: it is counted and logged by its id", async () => {
  const { seen, settle, settlement } = underTest();
  expect(await settle(settlement, async () => [{ id: "b" }])).toEqual([{ id: "b" }]);
  expect(seen).toEqual({ fenced: 1, said: [{ worker: "w", what: "finalize", count: 1, row_ids: ["a"], msg: "rows.fenced" }] });
});

test("nothing is counted if every row changed, or if an earlier try may have changed the missing ones", async () => {
  const { seen, settle, settlement } = underTest();
  await settle(settlement, async () => [{ id: "a" }, { id: "b" }]);
  let tries = 0;
  await settle(settlement, async () => (++tries === 1 ? Promise.reject(new DeadlineError("the database", 1)) : []));
  expect([tries, seen.fenced]).toEqual([2, 0]);
});
