// For tests: which metrics and labels the code makes, and what is wrong in a query that uses others.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { rules } from "./rule_cases.ts";

/** `counter("name", "help", ["label"])`. A name can have a variable part: `${name}_stream_losses_total`. */
const declaration = /\b(counter|gauge|histogram)\(\s*["`]([\w${}]+)["`],\s*(["`])(?:(?!\3).)*\3,?\s*(?:\[([^\]]*)\])?/gs;
const words = (text: string) => text.match(/\w+/g) ?? [];

const server = join(checkout, "server");
const made = readdirSync(server, { recursive: true, encoding: "utf8" })
  .filter(file => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.startsWith("testing/"))
  .flatMap(file => [...readFileSync(join(server, file), "utf8").matchAll(declaration)])
  .map(([, kind, name = "", , labels = ""]) => {
    const pattern = `kenri_${name.replaceAll(/\$\{\w+\}/g, "\\w+")}${kind === "histogram" ? "_(bucket|count|sum)" : ""}`;
    return { name: new RegExp(`^${pattern}$`), labels: words(labels) };
  });

/** Each target has them: docs/slo.md. */
const ofScrape = ["system", "job", "instance"];
const ofPrometheus = new Map<string, readonly string[]>([
  ["up", ofScrape],
  ["ALERTS", [...ofScrape, "alertname", "alertstate", "severity", "slo"]],
  ...rules.flatMap(({ record }) => (record ? [[record, ["slo"]] as const] : [])),
]);

/** The labels of a metric; undefined if there is no such metric. */
function labelsOf(metric: string): readonly string[] | undefined {
  const labels = made.find(({ name }) => name.test(metric))?.labels;
  return labels ? [...ofScrape, ...labels, ...(metric.endsWith("_bucket") ? ["le"] : [])] : ofPrometheus.get(metric);
}

const grouping = /\b(?:by|without|on|ignoring) \(([^)]*)\)/g;
const range = /\[[^\]]*\]/g;
// A name before a parenthesis is a function.
const selector = /\b([a-zA-Z_:][\w:]*)\b(?!\s*\()(?:\{((?:"[^"]*"|[^"}])*)\})?/g;
const operators = ["and", "or", "unless", "bool", "offset"];

/** Metrics and labels in a query that the code does not make. What follows `unless on ()` shares no label with the rest. */
export const unknownIn = (query: string): string[] => query.split("unless on ()").flatMap(unknownInPart);

/** A label in `by (…)` has to be one of every metric in the part. */
function unknownInPart(query: string): string[] {
  const grouped = [...query.matchAll(grouping)].flatMap(([, labels = ""]) => words(labels));
  const selectors = [...query.replaceAll(grouping, "").replaceAll(range, "").matchAll(selector)];
  return selectors.flatMap(([, metric = "", matchers = ""]) => {
    if (operators.includes(metric)) return [];
    const known = labelsOf(metric);
    if (!known) return [metric];
    const used = [...matchers.matchAll(/(\w+)\s*[=!]~?=?\s*"[^"]*"/g)].map(([, label = ""]) => label);
    return [...used, ...grouped].filter(label => !known.includes(label)).map(label => `${metric}{${label}}`);
  });
}
