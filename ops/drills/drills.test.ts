import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { alerts } from "../prometheus/rule_cases.ts";
import { drills } from "./drills.ts";

const [modes = "", , run = "", without = ""] = readFileSync(join(checkout, "docs", "failure-modes.md"), "utf8").split(
  /^## Drills$|^### Drills that were run$|^### Without a drill$/m,
);
/** The rows of the tables in a text, by the id in their first cell. */
const rowsOf = (text: string) => Object.fromEntries([...text.matchAll(/^\| `([a-z-]+)` .*$/gm)].map(([row, id]) => [id!, row]));
const rows = rowsOf(modes);

test.each(Object.entries(drills))(
  "%s: the alert exists, and the failure mode in the docs names it, and a section of the runbook",
  (id, drill) => {
    expect(alerts.map(rule => rule.alert)).toContain(drill.alert);
    const named = drill.labels?.slo ? `\`${drill.labels.slo}\` burns` : `\`${drill.alert}\``;
    expect(rows[id]).toContain(named);
    expect(rows[id]).toMatch(/\(runbook\.md#[\w-]+\) +\|$/);
  },
);

test("every failure mode in the docs has a drill, or a reason why it has none", () => {
  const known = [...Object.keys(drills), ...Object.keys(rowsOf(without))];
  expect(Object.keys(rows).filter(id => !known.includes(id))).toEqual([]);
  expect(known.filter(id => !(id in rows))).toEqual([]);
});

test("no failure mode with a drill has a reason why it has none", () =>
  expect(Object.keys(rowsOf(without)).filter(id => id in drills)).toEqual([]));

test("the docs say when each drill was run", () => {
  const ran = rowsOf(run);
  expect(Object.keys(drills).filter(id => !/ \d{4}-\d\d-\d\d +\|$/.test(ran[id] ?? ""))).toEqual([]);
});
