import { expect, test } from "bun:test";
import { subjectToken } from "./subject.ts";

test("any text is one token that NATS takes, the same each time, and another for another text", () => {
  const texts = ["alice", "Alice", "a.b", "a b", "*", ">", "", "名前", "a\r\nPUB x 0", "x".repeat(10_000)];
  const tokens = texts.map(subjectToken);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
  expect(new Set(tokens).size).toBe(texts.length);
  expect(texts.map(subjectToken)).toEqual(tokens);
});

test("a token is what others compute too", () => {
  expect(subjectToken("alice")).toBe("K9gGyX8OAK8aH8Myj6djqS");
});
