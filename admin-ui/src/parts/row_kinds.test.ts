import { expect, test } from "bun:test";
import { kindOf, rowKinds } from "../systems.ts";
import {
  actionOn,
  countIn,
  isEligible,
  orderOf,
  readSort,
  rowOf,
  rowsNamed,
  sortOf,
  stateMeaning,
  stateOf,
  storedStatesOf,
  tabsOf,
} from "./row_kinds.ts";

test.each(rowKinds)("rows in progress are listed in the order of their turn, and the page says so: $name", kind => {
  const [waiting, held, done, failed] = (["waiting", "held", "done", "failed"] as const).map(meaning => stateMeaning(kind, meaning).name);
  expect(orderOf(kind, { status: waiting })).toContain("next attempt");
  expect(orderOf(kind, { status: held })).toContain("lease");
  for (const status of [done, failed, undefined]) expect(orderOf(kind, { status })).toBeUndefined();
  expect(orderOf(kind, { status: waiting, user_id: "alice" })).toBeUndefined();
});

test.each(rowKinds)("a tab of retrying rows with its own count follows that of waiting rows: $name", kind => {
  const [first, second] = tabsOf(kind);
  expect([first!.meaning, second!.meaning]).toEqual(["waiting", "retrying"]);
  expect(tabsOf(kind)).toHaveLength(storedStatesOf(kind).length + (second!.isDerived ? 1 : 0));
  const [many, some] = [
    { count: 9, more: true },
    { count: 3, more: false },
  ];
  const counts = { counts: { [first!.name]: many }, oldest_pending_at: null, retrying: some };
  expect([first!, second!].map(tab => countIn(counts, tab))).toEqual([many, some]);
  expect(orderOf(kind, { status: second!.name })).toContain("last failure");
});

const outbox = kindOf("outbox");

test("failed rows are sorted by last failure unless the address says otherwise; the rows of one user are not", () => {
  expect(sortOf(outbox, { status: "FAILED" }, undefined)).toBe("failed");
  expect(sortOf(outbox, { status: "FAILED" }, "attempts")).toBe("attempts");
  for (const shown of [{ status: "PENDING" }, {}, { status: "FAILED", user_id: "alice" }])
    expect(sortOf(outbox, shown, "attempts")).toBeUndefined();
  expect([readSort("created"), readSort("status"), readSort(undefined), readSort("toString")]).toEqual([
    "created",
    undefined,
    undefined,
    undefined,
  ]);
});

test("retrying rows are retried, failed rows are requeued, and no other row can be selected", () => {
  const row = (status: string, attempts: number) => ({ status, attempts });
  expect(["RETRYING", "PENDING", "FAILED", undefined].map(status => actionOn(outbox, status))).toEqual([
    "retry",
    "retry",
    "requeue",
    "requeue",
  ]);
  const canRetry = [row("PENDING", 2), row("PENDING", 0), row("FAILED", 5), row("SENT", 1)];
  expect(canRetry.map(one => isEligible(outbox, "retry", one))).toEqual([true, false, false, false]);
  const canRequeue = [row("PENDING", 2), row("FAILED", 5), row("PUBLISHED", 0)];
  expect(canRequeue.map(one => isEligible(outbox, "requeue", one))).toEqual([false, true, false]);
});

test("cancelled and expired orders cannot be selected for a requeue", () => {
  const orders = kindOf("orders");
  const codes = ["CANCELLED", "EXPIRED", "REJECTED", null];
  const rows = codes.map(last_error_code => rowOf(orders, { order_id: "o", status: "aborted", attempts: 1, last_error_code }));
  expect(rows.map(row => isEligible(orders, "requeue", row))).toEqual([false, false, true, true]);
});

test("an unknown kind is an error, and an unknown state shows itself", () => {
  expect(() => kindOf("postcards")).toThrow("there is no row kind postcards");
  expect([rowsNamed("outbox"), rowsNamed("outbox", 1), rowsNamed("postcards")]).toEqual([
    "events",
    "event",
    "rows of the unknown kind postcards",
  ]);
  expect(stateOf(outbox, { status: "LOST", attempts: 0, stale: false })).toEqual({ tone: "failed", word: "Unknown state LOST" });
});

test("a row is read by the columns of its kind", () => {
  const answer = {
    notification_id: "n1",
    type: "EntitlementGranted",
    user_id: "alice",
    status: "SENT",
    stale: true,
    attempt_count: 2,
    last_error: null,
    created_at: "c",
    failed_at: null,
    next_retry_at: "d",
    sent_at: "s",
    about: "sword",
    aggregate_version: 7,
  };
  const row = rowOf(kindOf("notifications"), answer);
  expect(row).toEqual({
    id: "n1",
    type: "EntitlementGranted",
    user: "alice",
    status: "SENT",
    stale: true,
    unknown: false,
    ended: false,
    attempts: 2,
    error: null,
    createdAt: "c",
    failedAt: null,
    nextRetryAt: "d",
    doneAt: "s",
    facts: ["sword", 7],
  });
  expect(stateOf(kindOf("notifications"), row)).toEqual({ tone: "stale", word: "Stale" });
});
