import { describe, expect, test } from "bun:test";
import type { AskResult, SendResult } from "../broker/adapter.ts";
import { type Calls, decide } from "./decision.ts";

const decideFor = decide({ maxAttempts: 6, backoff: 5000, backoffCap: 160_000 });
const fresh = { attempts: 0, asks: 0, last_error_code: null, last_error_msg: null };
const doubtful = { attempts: 2, asks: 0, last_error_code: "TIMEOUT", last_error_msg: "no answer" };
const after = (row: typeof fresh | typeof doubtful, calls: Partial<Calls>) =>
  decideFor(row, { isExpired: false, isEarly: false, ...calls });

const executed = { outcome: "succeeded", brokerOrderId: "p-1", answer: { state: "filled" } } as const;
const not = <Outcome extends string>(outcome: Outcome, code: string, retryAfter?: number) => ({
  outcome,
  code,
  message: "why",
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

describe("after a send", () => {
  test("that the broker executed, the order succeeded", () => {
    expect(after(doubtful, { sent: executed })).toMatchObject({
      status: "succeeded",
      attempts: 3,
      outcome_unknown: false,
      code: null,
      broker_order_id: "p-1",
      broker_answer: { state: "filled" },
    });
  });

  test("that was refused for now, the order waits 5, 10, 20, 40, 80 s, and the sixth failure aborts it", () => {
    const decisions = [0, 1, 2, 3, 4, 5].map(attempts =>
      after({ ...fresh, attempts }, { sent: not("retryable", "UNAVAILABLE") as SendResult }),
    );
    expect(decisions.map(({ status, attempts, delay_seconds }) => [status, attempts, delay_seconds])).toEqual([
      ["failed", 1, 5],
      ["failed", 2, 10],
      ["failed", 3, 20],
      ["failed", 4, 40],
      ["failed", 5, 80],
      ["aborted", 6, 0],
    ]);
    expect(decisions.at(-1)).toMatchObject({ code: "UNAVAILABLE", message: "why", outcome_unknown: false });
  });

  test.each([
    [2, 5],
    [90, 90],
    [86_400, 3600],
  ])("with Retry-After %i, the order waits %i s", (retryAfter, delay_seconds) => {
    expect(after(fresh, { sent: not("retryable", "TOO_MANY_REQUESTS", retryAfter) as SendResult })).toMatchObject({ delay_seconds });
  });

  test("that was rejected, the order is aborted at once", () => {
    const decision = after(fresh, { sent: not("final", "REJECTED") as SendResult });
    expect(decision).toMatchObject({ status: "aborted", attempts: 1, code: "REJECTED", outcome_unknown: false });
  });

  test.each([0, 5])("with an unknown outcome, the order waits for a question, also after the last attempt (%i before)", attempts => {
    const decision = after({ ...fresh, attempts }, { sent: not("unknown", "TIMEOUT") as SendResult });
    expect(decision).toMatchObject({ status: "failed", attempts: attempts + 1, outcome_unknown: true, asks: 0, code: "TIMEOUT" });
  });
});

describe("after a question alone", () => {
  test("the broker's answer settles the order, and no attempt is charged", () => {
    expect(after(doubtful, { asked: executed })).toMatchObject({
      status: "succeeded",
      attempts: 2,
      outcome_unknown: false,
      broker_order_id: "p-1",
    });
    const rejected = after(doubtful, { asked: not("final", "REJECTED") as AskResult });
    expect(rejected).toMatchObject({ status: "aborted", attempts: 2, outcome_unknown: false, code: "REJECTED" });
  });

  test.each(["no_answer", "working"] as const)("%s: it is asked again, later each time, for ever, and keeps its cause", outcome => {
    const decisions = [0, 1, 5, 500].map(asks => after({ ...doubtful, attempts: 6, asks }, { asked: not(outcome, "X") as AskResult }));
    expect(decisions.map(({ delay_seconds, asks }) => [delay_seconds, asks])).toEqual([
      [5, 1],
      [10, 2],
      [160, 6],
      [160, 501],
    ]);
    for (const decision of decisions)
      expect(decision).toMatchObject({ status: "failed", attempts: 6, outcome_unknown: true, code: "TIMEOUT" });
  });

  test("an order that the broker does not have, and that could not be sent now, is asked about again", () => {
    const decision = after(doubtful, { asked: not("not_known", "UNKNOWN_ORDER") as AskResult });
    expect(decision).toMatchObject({ status: "failed", attempts: 2, outcome_unknown: true, asks: 0, delay_seconds: 5, code: "TIMEOUT" });
  });

  test("an order that the broker does not have is aborted without an attempt left, or after its expiry", () => {
    const asked = not("not_known", "UNKNOWN_ORDER") as AskResult;
    expect(after({ ...doubtful, attempts: 6 }, { asked })).toMatchObject({
      status: "aborted",
      attempts: 6,
      outcome_unknown: false,
      code: "TIMEOUT",
    });
    expect(after(doubtful, { asked, isExpired: true })).toMatchObject({ status: "aborted", outcome_unknown: false, code: "EXPIRED" });
  });

  test("an early answer that the broker does not have the order proves nothing", () => {
    const asked = not("not_known", "UNKNOWN_ORDER") as AskResult;
    for (const isExpired of [false, true]) {
      const decision = after({ ...doubtful, attempts: 6 }, { asked, isExpired, isEarly: true });
      expect(decision).toMatchObject({ status: "failed", attempts: 6, outcome_unknown: true, delay_seconds: 5 });
    }
    expect(after(doubtful, { asked: executed, isEarly: true })).toMatchObject({ status: "succeeded" });
  });

  test("the next question is not early, whatever the longest delay is", () => {
    const asked = not("not_known", "UNKNOWN_ORDER") as AskResult;
    const capped = decide({ maxAttempts: 6, backoff: 5000, backoffCap: 1000 });
    expect(capped(doubtful, { asked, isExpired: false, isEarly: true })).toMatchObject({ outcome_unknown: true, delay_seconds: 5 });
  });

  test("an expired order is not aborted before the broker has answered", () => {
    const decision = after(doubtful, { asked: not("no_answer", "TIMEOUT") as AskResult, isExpired: true });
    expect(decision).toMatchObject({ status: "failed", outcome_unknown: true });
  });
});

test("without a call, an order is aborted if it expired or has no attempt left; anything else is a mistake", () => {
  expect(after(fresh, { isExpired: true })).toMatchObject({ status: "aborted", attempts: 0, code: "EXPIRED" });
  expect(after({ ...doubtful, attempts: 7 }, {})).toMatchObject({ status: "aborted", attempts: 7, code: "TIMEOUT" });
  expect(() => after(fresh, {})).toThrow("neither sent nor released");
});
