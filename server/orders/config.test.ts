import { expect, test } from "bun:test";
import { ConfigError } from "../kernel/config/config.ts";
import { settingsFor } from "../systems.ts";

const token = "a secret of the broker";
const given = {
  ORDERS_DATABASE_URL: "postgres://owner:hunter2@db/orders",
  ORDERS_APP_DATABASE_URL: "postgres://app:hunter2@db/orders",
  BROKER_URL: "https://broker.example",
};

/** The problems of a sender with these settings. */
function problems(environment: string, settings: Record<string, string> = {}): string[] {
  try {
    settingsFor(["orders:sender"], { ...given, ...settings, KENRI_ENV: environment });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

test("in production the broker needs a token", () => {
  expect(problems("production")).toEqual([expect.stringContaining("BROKER_TOKEN is not set")]);
  expect(problems("production", { BROKER_TOKEN: token })).toEqual([]);
  expect(problems("development")).toEqual([]);
});

test("the ledger is not kept shorter than the orders", () => {
  expect(problems("test", { ORDERS_RETENTION: "2d", LEDGER_RETENTION: "1d" })).toEqual([
    expect.stringContaining("LEDGER_RETENTION is shorter"),
  ]);
  expect(problems("test", { ORDERS_RETENTION: "1d", LEDGER_RETENTION: "1d" })).toEqual([]);
});

test("the longest delay is not below the first one", () => {
  expect(problems("test", { ORDERS_BACKOFF: "5s", ORDERS_BACKOFF_CAP: "4s" })).toEqual([
    expect.stringContaining("ORDERS_BACKOFF_CAP is shorter"),
  ]);
  expect(problems("test", { ORDERS_BACKOFF: "5s", ORDERS_BACKOFF_CAP: "5s" })).toEqual([]);
});

test.each(["https://kenri:hunter2@broker.example", "https://hunter2@broker.example", "https://:hunter2@broker.example"])(
  "the address of the broker has no secret, because it is shown: %s",
  url => {
    const found = problems("development", { BROKER_URL: url });
    expect(found).toEqual([expect.stringContaining("BROKER_URL has a user or a password")]);
    expect(found.join()).not.toContain("hunter2");
  },
);

test.each([
  ["http://broker.example", 1],
  ["http://10.0.0.1:8190", 1],
  ["http://[fd00::1]:8190", 1],
  ["http://127.0.0.1.evil.example", 1],
  ["http://paper-broker:8190", 0],
  ["http://127.0.0.1:8190", 0],
  ["http://[::1]:8190", 0],
  ["http://broker.localhost", 0],
  ["https://broker.example", 0],
])("in production the token does not go to another network in plain text: %s, %i problem", (BROKER_URL, count) => {
  const found = problems("production", { BROKER_URL, BROKER_TOKEN: token });
  expect(found).toEqual(Array.from({ length: count }, () => expect.stringContaining("BROKER_URL must be https")));
  expect(problems("development", { BROKER_URL })).toEqual([]);
});

test("settings that cannot be read are named once", () => {
  const found = problems("production", { BROKER_URL: "", BROKER_TOKEN: token, ORDERS_BACKOFF: "soon" });
  expect(found.map(problem => problem.split(/[ =]/)[0]).sort()).toEqual(["BROKER_URL", "ORDERS_BACKOFF"]);
});
