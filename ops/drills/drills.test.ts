import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { alerts } from "../prometheus/rule_cases.ts";
import { drills } from "./drills.ts";

const document = readFileSync(join(checkout, "docs", "failure-modes.md"), "utf8");

test.each(Object.entries(drills))("%s is a failure mode in the docs, and its alert exists", (id, { alert }) => {
  expect(document.includes(`| \`${id}\``)).toBe(true);
  expect(alerts.map(rule => rule.alert)).toContain(alert);
});
