import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { brokerCode, isOwnCode, ownCodes } from "./reason_codes.ts";

test.each([...ownCodes, "HTTP_503"])("a broker's code %s is not taken for Kenri's own", code => {
  expect(isOwnCode(code)).toBe(true);
  expect(brokerCode(code)).toBe(`BROKER_${code}`);
  expect(isOwnCode(brokerCode(code)!)).toBe(false);
  expect(brokerCode(code)!.length).toBeLessThanOrEqual(64);
});

test("other codes of a broker stay as they are, and have the form of a code", () => {
  for (const code of ["REJECTED", "UNKNOWN_ORDER", "BROKER_CANCELLED", "HTTP_ERROR", "A".repeat(64)]) expect(brokerCode(code)).toBe(code);
  for (const code of ["", "cancelled", "CANCELLED ", "1A", "A".repeat(65), 7, null, undefined]) expect(brokerCode(code)).toBeUndefined();
});

/** The texts of a folder's files, without tests. */
const textsIn = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(ending) && !/\.test\.ts$|\.gen\.ts$|api_examples/.test(name))
    .map(name => readFileSync(`${folder}/${name}`, "utf8"));

test("every reason code that the code or the SQL of orders gives is in the list", () => {
  const [orders, sql] = [new URL("..", import.meta.url).pathname, new URL("../../../sql/orders", import.meta.url).pathname];
  const given = [
    ...textsIn(orders, ".ts").flatMap(text => [...text.matchAll(/\bcode(?:: | = )[^,;\n]*?"([A-Z_]{4,})"/g)]),
    ...textsIn(sql, ".sql").flatMap(text => [...text.matchAll(/\b(?:last_error|reason)_code = '([A-Z_]+)'|'([A-Z_]+)' as code/g)]),
  ].map(([, one, other]) => one ?? other!);
  expect(given).toContain("CANCELLED");
  expect(given).toContain("BROKER_UNAVAILABLE");
  // A rejection that has no code. With this code or without one, the broker says the same.
  expect([...new Set(given)].filter(code => !isOwnCode(code)).sort()).toEqual(["REJECTED"]);
});
