import { expect, test } from "bun:test";
import { orders } from "./system.ts";

const day = 86_400_000;
/** The problems of settings that have only these parts. */
const problems = (environment: string, { token, retention }: { token?: string; retention?: { orders: number; ledger: number } }) =>
  orders.problems!({ broker: { token }, retention } as never, { environment } as never);

test("in production the broker needs a token", () => {
  expect(problems("production", {})).toEqual([expect.stringContaining("BROKER_TOKEN is not set")]);
  expect(problems("production", { token: "a secret of the broker" })).toEqual([]);
  expect(problems("development", {})).toEqual([]);
});

test("the ledger is not kept shorter than the orders", () => {
  expect(problems("test", { retention: { orders: 2 * day, ledger: day } })).toEqual([
    expect.stringContaining("LEDGER_RETENTION is shorter"),
  ]);
  expect(problems("test", { retention: { orders: day, ledger: day } })).toEqual([]);
});
