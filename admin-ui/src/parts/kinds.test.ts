import { expect, test } from "bun:test";
import { actionOn, countIn, isEligible, kinds, orderOf, readSort, sortOf, tabsOf } from "./kinds.ts";

test.each(Object.values(kinds))("rows in progress are listed in the order of their turn, and the page says so: $name", kind => {
  const [waiting, held, done, failed] = kind.states.map(({ name }) => name);
  expect(orderOf(kind, { status: waiting })).toContain("next attempt");
  expect(orderOf(kind, { status: held })).toContain("lease");
  for (const status of [done, failed, undefined]) expect(orderOf(kind, { status })).toBeUndefined();
  expect(orderOf(kind, { status: waiting, user_id: "alice" })).toBeUndefined();
});

test.each(Object.values(kinds))("a tab of retrying rows with its own count follows PENDING: $name", kind => {
  const names = tabsOf(kind).map(({ name }) => name);
  expect(names.slice(0, 2)).toEqual(["PENDING", "RETRYING"]);
  expect(names).toHaveLength(kind.states.length + 1);
  const some = { count: 3, more: false };
  const counts = { counts: { PENDING: { count: 9, more: true } }, oldest_pending_at: null, retrying: some };
  expect(
    tabsOf(kind)
      .slice(0, 2)
      .map(tab => countIn(counts, tab)),
  ).toEqual([counts.counts.PENDING, some]);
  expect(orderOf(kind, { status: "RETRYING" })).toContain("last failure");
});

test("failed rows are sorted by last failure unless the address says otherwise; the rows of one user are not", () => {
  expect(sortOf({ status: "FAILED" }, undefined)).toBe("failed");
  expect(sortOf({ status: "FAILED" }, "attempts")).toBe("attempts");
  for (const shown of [{ status: "PENDING" }, {}, { status: "FAILED", user_id: "alice" }])
    expect(sortOf(shown, "attempts")).toBeUndefined();
  expect([readSort("created"), readSort("status"), readSort(undefined), readSort("toString")]).toEqual([
    "created",
    undefined,
    undefined,
    undefined,
  ]);
});

test("retrying rows are retried, failed rows are requeued, and no other row can be selected", () => {
  const row = (status: string, attempts: number) => ({ status, attempts });
  expect(["RETRYING", "PENDING", "FAILED", undefined].map(actionOn)).toEqual(["retry", "retry", "requeue", "requeue"]);
  expect([row("PENDING", 2), row("PENDING", 0), row("FAILED", 5), row("SENT", 1)].map(one => isEligible("retry", one))).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([row("PENDING", 2), row("FAILED", 5), row("PUBLISHED", 0)].map(one => isEligible("requeue", one))).toEqual([false, true, false]);
});
