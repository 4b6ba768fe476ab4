// For tests: cases of the rules, run by `promtool test rules`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type CommandResult, run } from "../../stack/command.ts";
import { findPrometheus } from "../../stack/prometheus_binary.ts";
import { scratchFolder } from "../../stack/scratch.ts";

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<"summary" | "runbook" | "page", string>>;
}

export interface RuleCase {
  /** One value a minute, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>;
  readonly values?: readonly {
    readonly expr: string;
    readonly at: string /** Absent: there is no such value. */;
    readonly value?: number;
  }[];
  readonly alerts?: readonly { readonly name: string; readonly at: string /** Absent: it is silent. */; readonly fires?: ExpectedAlert }[];
}

export interface ExpectedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
}

const folder = import.meta.dir;
const names = readdirSync(folder).filter(name => name.endsWith(".rules.yml"));
export const ruleFiles = names.map(name => join(folder, name));

export const ruleFile = (name: string) => parse(readFileSync(join(folder, name), "utf8")) as { groups: { name: string; rules: Rule[] }[] };
const groups = names
  .toSorted()
  .toReversed()
  .flatMap(name => ruleFile(name).groups);
// Objectives before alerts: without an order promtool takes any, and a rule may see the minute before.
const group_eval_order = groups.map(({ name }) => name);
export const rules = groups.flatMap(group => group.rules);
export const alerts = rules.filter(rule => rule.alert !== undefined);

export async function promtool(...args: string[]): Promise<CommandResult> {
  const { promtool } = await findPrometheus({ say: line => console.log(line) });
  return run([promtool, ...args], { within: 60_000 });
}

/** Runs all cases; throws what promtool says if one of them is wrong. */
export async function testRules(cases: readonly RuleCase[]): Promise<void> {
  const place = scratchFolder();
  try {
    const file = join(place, "cases.yml");
    writeFileSync(file, JSON.stringify({ rule_files: ruleFiles, evaluation_interval: "1m", group_eval_order, tests: cases.map(caseOf) })); // JSON is YAML
    const { code, output } = await promtool("test", "rules", file);
    if (code !== 0) throw new Error(output);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

const caseOf = ({ series, values = [], alerts: expected = [] }: RuleCase) => ({
  interval: "1m",
  input_series: Object.entries(series).map(([name, samples]) => ({ series: name, values: samples })),
  promql_expr_test: values.map(({ expr, at, value }) => ({
    expr: `round(sum(${expr}), 0.01)`,
    eval_time: at,
    exp_samples: value === undefined ? [] : [{ labels: "{}", value }],
  })),
  alert_rule_test: expected.map(({ name, at, fires }) => ({
    alertname: name,
    eval_time: at,
    exp_alerts: fires
      ? [{ exp_labels: labelsOf(name, fires), exp_annotations: { ...ruleOf(name).annotations, summary: fires.summary } }]
      : [],
  })),
});

const ruleOf = (name: string) => alerts.find(({ alert }) => alert === name)!;
const labelsOf = (name: string, { labels }: ExpectedAlert) => ({ ...ruleOf(name).labels, ...labels });
