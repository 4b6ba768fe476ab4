import { describe, expect, test } from "bun:test";
import { cleanName, idProblem, nameProblem } from "./identifier.ts";

describe("an id may be", () => {
  test.each([
    "alice",
    "a b",
    "日本語",
    "🎁",
    "é",
    "a/b",
    "a\\b",
    "a:b",
    "...",
    "a..b",
    ".a",
    "a.",
    "%",
    "%2f",
    "?#&=+",
    "a\u00a0b",
    "❤\ufe0f",
  ])("%j", value => expect(idProblem(value)).toBeUndefined());
});

describe("an id is refused, with the character and its place", () => {
  const cases: [value: string, says: string][] = [
    ["ab\u200b", "contains U+200B at character 3"],
    ["🎁\u200d🎁", "contains U+200D at character 2"],
    ["a\u202eb", "contains U+202E at character 2"],
    ["a\u2066b", "contains U+2066"],
    ["a\u00adb", "contains U+00AD"],
    ["\ufeffa", "contains U+FEFF at character 1"],
    ["a\u{e0041}", "contains U+E0041"],
    ["a\u0007", "contains U+0007"],
    ["\u001b[31mred", "contains U+001B"],
    ["a\u007f", "contains U+007F"],
    ["a\u009b", "contains U+009B"],
    ["a\nb", "contains U+000A"],
    ["a\tb", "contains U+0009"],
    ["a\u0000", "contains U+0000"],
    ["a\u2028b", "contains U+2028"],
    ["a\u2029b", "contains U+2029"],
    ["\u3164", "contains U+3164 at character 1"],
    ["a\u115f", "contains U+115F at character 2"],
    ["a\u034fb", "contains U+034F"],
    ["a\ufe00", "contains U+FE00"],
    ["a\u2800", "contains U+2800"],
    ["a\ud800b", "contains U+D800 at character 2"],
    [" a", "begins with white space (U+0020)"],
    ["a ", "ends with white space (U+0020 at character 2)"],
    ["🎁\u3000", "ends with white space (U+3000 at character 2)"],
    ["\u00a0a", "begins with white space (U+00A0)"],
    ["cafe\u0301", "is not in Unicode NFC from character 4 on"],
    ["\u212b", "is not in Unicode NFC"],
    [".", "'.' or '..' at character 1"],
    ["..", "'.' or '..' at character 1"],
    ["a/../x", "'.' or '..' at character 3"],
    ["x/.", "'.' or '..' at character 3"],
    ["x\\..", "'.' or '..' at character 3"],
    ["../x", "'.' or '..' at character 1"],
    ["%2e%2E", "'.' or '..' at character 1"],
    ["x/.%2e/y", "'.' or '..' at character 3"],
  ];
  test.each(cases)("%j", (value, says) => {
    const problem = idProblem(value)!;
    expect(problem).toContain(says);
    expect(problem).toMatch(/^[ -~]+$/); // nothing of it comes back as it was
  });
});

test("a name follows the same rule, but dots between slashes mean nothing in it", () => {
  expect(nameProblem("a/../b")).toBeUndefined();
  expect(nameProblem("a\u200bb")).toContain("U+200B");
});

test.each([
  ["  Ada\u200b Love\u202elace\u001b[0m ", "Ada Lovelace[0m"],
  ["Ada\nLovelace", "Ada Lovelace"],
  ["cafe\u200b\u0301", "café"],
  ["\u200b\u00ad ", ""],
  [`${"x".repeat(99)} y`, "x".repeat(99)],
  ["👩\u200d👧", "👩👧"],
])("a name from elsewhere, %j, becomes one that may be written", (value, cleaned) => {
  expect(cleanName(value, 100)).toBe(cleaned);
  if (cleaned !== "") expect(nameProblem(cleaned)).toBeUndefined();
});
