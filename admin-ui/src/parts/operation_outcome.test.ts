import { expect, test } from "bun:test";
import type { Operation, Outcome } from "../api/answers.ts";
import { isMoving, partsOf, verdictOf } from "./operation_outcome.ts";

const none: Outcome = { delivered: 0, failed_again: 0, retrying: 0, on_the_way: 0, gone: 0, more: false };
const operation = (outcome: Partial<Outcome> | null, more: Partial<Operation> = {}): Operation => ({
  operation_id: "o",
  kind: "outbox",
  action: "requeue",
  filter: {},
  reason: "r",
  actor: "a",
  status: "DONE",
  total: 228,
  done: 228,
  skipped: 0,
  failed: 0,
  created_at: "",
  finished_at: "",
  cancelled_by: null,
  stop_reason: null,
  waits: false,
  outcome: outcome && { ...none, ...outcome },
  ...more,
});

test.each<[string, Operation, string, string, boolean]>([
  ["all failed again", operation({ failed_again: 228 }), "failed", "All failed again", false],
  ["some failed again", operation({ failed_again: 3, delivered: 225 }), "failed", "3 failed again", false],
  ["one failed again while others are in progress", operation({ failed_again: 1, on_the_way: 227 }), "failed", "1 failed again", true],
  ["all are in progress", operation({ on_the_way: 228 }), "flight", "In progress", true],
  ["some retry", operation({ delivered: 200, retrying: 28 }), "retry", "Retrying", true],
  ["all were delivered", operation({ delivered: 228 }), "done", "Delivered", false],
  ["the others are deleted", operation({ delivered: 220, gone: 8 }), "done", "Delivered", false],
  ["all are deleted", operation({ gone: 228 }), "pending", "Deleted", false],
  ["only a part was checked", operation({ delivered: 100, more: true }), "pending", "Requeued", false],
  [
    "only a part was checked, and some of it failed again",
    operation({ failed_again: 100, more: true }),
    "failed",
    "100+ failed again",
    false,
  ],
  ["it runs", operation({ failed_again: 7 }, { status: "RUNNING", done: 10 }), "flight", "Running", true],
  ["the permission of its operator is not confirmed", operation({}, { status: "RUNNING", done: 10, waits: true }), "retry", "Paused", true],
  ["its operator was suspended", operation({ on_the_way: 5 }, { status: "STOPPED", done: 5 }), "failed", "Stopped", true],
  [
    "its operator was suspended, and rows failed again",
    operation({ failed_again: 2 }, { status: "STOPPED", done: 5 }),
    "failed",
    "Stopped, 2 failed again",
    false,
  ],
  ["it was cancelled", operation({ delivered: 5 }, { status: "CANCELLED", done: 5 }), "stale", "Cancelled", false],
  [
    "it was cancelled, and failed again",
    operation({ failed_again: 5 }, { status: "CANCELLED", done: 5 }),
    "failed",
    "Cancelled, all failed again",
    false,
  ],
  ["the database refused rows", operation({ delivered: 226 }, { done: 226, failed: 2 }), "failed", "Done, with failures", false],
  ["every row was skipped", operation({}, { done: 0, skipped: 228 }), "pending", "Nothing changed", false],
  ["nothing matched", operation({}, { total: 0, done: 0 }), "done", "Done", false],
  ["rows were discarded", operation(null, { action: "discard" }), "done", "Done", false],
])("an operation is summed up in a word: %s", (_, one, tone, word, moving) => {
  expect([verdictOf(one), isMoving(one)]).toEqual([{ tone, word } as ReturnType<typeof verdictOf>, moving]);
});

test("the outcomes are listed worst first, without empty ones", () => {
  expect(partsOf(operation({ delivered: 4, failed_again: 2, on_the_way: 1 })).map(({ name, count }) => `${count} ${name}`)).toEqual([
    "2 FAILED_AGAIN",
    "1 ON_THE_WAY",
    "4 DELIVERED",
  ]);
  expect(partsOf(operation(null))).toEqual([]);
});
