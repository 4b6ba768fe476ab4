import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../../stack/checkout.ts";
import { logKinds, messagesIn } from "../../testing/log_kinds.ts";

const text = readFileSync(join(checkout, "docs/logs.md"), "utf8");
const namesIn = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
const kinds = text.slice(text.indexOf("\n## Kinds of lines"));
/** `| message | level | meaning | fields |` */
const documented = new Map(
  [...kinds.matchAll(/^\| `([^`]+)`\s*\| ([^|]+?)\s*\| [^|]+ \| ([^|]+) \|$/gm)].map(([, kind, levels, fields]) => [
    kind!,
    { levels: levels!.split(", "), fields: namesIn(fields) },
  ]),
);
const samples = [...kinds.matchAll(/^\{.*$/gm)].map(([line]) => line);
const kindOf = (msg: string) =>
  documented.has(msg) ? msg : [...documented.keys()].find(kind => kind.startsWith("*.") && msg.endsWith(kind.slice(1)));
const required = ["time", "level", "role", "worker", "msg"];
const ofRepeats = ["repeats", "since", "failures", "seconds"];

describe("docs/logs.md", () => {
  test("has every kind of line that the code logs, and no other", () => {
    expect([...documented.keys()].sort()).toEqual(logKinds());
  });

  test.each(samples.map(line => [line.slice(-60), line]))("has a sample that fits the schema: …%s", (_, line) => {
    const parsed = JSON.parse(line) as Record<string, unknown>;
    const kind = documented.get(kindOf(String(parsed.msg)) ?? "");
    expect(Object.keys(parsed)).toEqual(expect.arrayContaining(required));
    expect(kind?.levels).toContain(String(parsed.level));
    expect(Object.keys(parsed).filter(name => ![...required, ...ofRepeats, ...kind!.fields].includes(name))).toEqual([]);
    expect(Number.isNaN(Date.parse(String(parsed.time)))).toBe(false);
  });

  test("has a sample of every kind", () => {
    const shown = new Set(samples.map(line => kindOf(String((JSON.parse(line) as { msg: string }).msg))));
    expect([...documented.keys()].filter(kind => !shown.has(kind))).toEqual([]);
  });
});

test("the reader of the sources finds the message of every way to log, and names a call without a literal", () => {
  const source = `log.warn({ a: f(1, "x.y") }, "one.failed"); log[level]({ a }, \`\${name}.fenced\`);
    repeatsOf(log).write("warn", { why: "a, b" }, "two.away", { key: "k" }); repeats.over("two.away", undefined, {}, "two.back");
    log.info("alone"); log.info({ a }, wording); httpServer({ listening: "three.listening" })`;
  expect(messagesIn(source)).toEqual(["three.listening", "one.failed", "*.fenced", "alone", "wording", "two.away", "two.away", "two.back"]);
});
