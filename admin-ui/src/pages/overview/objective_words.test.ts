import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Objective } from "../../../../server/gateway/monitoring/objectives.ts";
import { groupsOf } from "./alert_findings.ts";
import { budgetWord, errorText, goalText, hasBadUnits, knownFor, leftText, wordsOf, worstFirst } from "./objective_words.ts";
import { processesText } from "./processes.ts";
import { longestIn } from "./samples.ts";

const objective = (slo: string, given: Partial<Objective> = {}): Objective => ({
  slo,
  objective: 0.99,
  state: "measured",
  budget_remaining: 1,
  error_28d: 0,
  error_1h: 0,
  error_5m: 0,
  since: null,
  ...given,
});

test("every objective of the rules has words, and nothing else has", () => {
  const rules = readFileSync(join(import.meta.dir, "../../../../ops/prometheus/objectives.rules.yml"), "utf8");
  const declared = [...rules.matchAll(/kenri:slo:objective", labels: { slo: ([\w-]+) }/g)].map(([, slo]) => slo!);
  expect(declared.length).toBe(12);
  for (const slo of declared)
    expect([slo, wordsOf(slo).title === slo, wordsOf(slo).good]).toEqual([slo, false, expect.stringMatching(/./)]);
  expect(wordsOf("added-by-somebody")).toEqual({ title: "added-by-somebody", good: "" });
});

describe("numbers", () => {
  test.each([
    [1, "100 %"],
    [0.99999, "> 99 %"],
    [0.981, "98 %"],
    [0.01, "1 %"],
    [0.004, "< 1 %"],
    [0, "0 %"],
    [-0.5, "−50 %"],
    [-40, "< −999 %"],
  ])("%d of the budget is left: %s", (left, text) => expect(leftText(left)).toBe(text));

  test.each([
    [0, "0 %"],
    [0.000_001, "< 0.001 %"],
    [0.000_512, "0.051 %"],
    [0.0149, "1.5 %"],
    [0.994, "99 %"],
    [0.995, "> 99 %"],
    [0.999_999, "> 99 %"],
    [1, "100 %"],
    [null, "no traffic"],
  ])("a share of %p is shown as %s", (ratio, text) => expect(errorText(ratio)).toBe(text));

  test("the goal is not rounded up", () => expect([goalText(0.9995), goalText(0.95)]).toEqual(["99.95 %", "95 %"]));
});

test("a budget has a word and a tone; no traffic is not good", () => {
  const wordOf = (given: Partial<Objective>) => budgetWord(objective("grants", given));
  expect(wordOf({})).toEqual({ tone: "done", word: "in budget" });
  expect(wordOf({ budget_remaining: 0.2 })).toEqual({ tone: "retry", word: "low" });
  expect(wordOf({ budget_remaining: 0 })).toEqual({ tone: "failed", word: "used up" });
  expect(wordOf({ state: "no_traffic", budget_remaining: null })).toEqual({ tone: "pending", word: "no traffic" });
  expect(wordOf({ state: "no_data", budget_remaining: null })).toEqual({ tone: "pending", word: "no data" });
  expect(wordOf({ state: "unknown", budget_remaining: null })).toEqual({ tone: "pending", word: "no traffic or no data" });
  expect(wordOf({ state: "soon", budget_remaining: null })).toEqual({ tone: "pending", word: "known within 5 min" });
});

test("a Prometheus that was started lately does not look like 28 days", () => {
  const now = Date.parse("2026-03-01T00:00:00Z");
  const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
  expect(knownFor(ago(3), now)).toBe("3 h");
  expect(knownFor(ago(0.26), now)).toBe("15 m");
  expect(knownFor(ago(240), now)).toBe("10 d");
  expect(knownFor(ago(28 * 24 - 1), now)).toBe(undefined);
  expect(knownFor(null, now)).toBe(undefined);
});

test("the least budget comes first, and what has none last", () => {
  const order = worstFirst([
    objective("no data", { state: "no_data", budget_remaining: null }),
    objective("full"),
    objective("soon", { state: "soon", budget_remaining: null }),
    objective("missed", { budget_remaining: -2 }),
    objective("low", { budget_remaining: 0.1 }),
    objective("burning", { error_1h: 0.5 }),
  ]);
  expect(order.map(({ slo }) => slo)).toEqual(["missed", "low", "burning", "full", "soon", "no data"]);
});

test("an example is looked for only if a unit was bad", () => {
  expect(
    [objective("a"), objective("b", { error_28d: 0.1 }), objective("c", { error_1h: 0.1 }), objective("d", { error_28d: null })].map(
      hasBadUnits,
    ),
  ).toEqual([false, true, true, false]);
});

test("alerts of one rule are one row, since the first of them", () => {
  const alert = (name: string, summary: string, since: string, state: "firing" | "pending" = "firing") => ({
    name,
    severity: "page",
    state,
    since,
    summary,
    labels: {},
    runbook: null,
    page: null,
  });
  const groups = groupsOf([
    alert("A", "broker.", "2026-01-02"),
    alert("B", "", "2026-01-03"),
    alert("A", "publish.", "2026-01-01"),
    alert("A", "later.", "2026-01-01", "pending"),
  ]);
  expect(groups.map(({ name, state, since, summaries }) => [name, state, since, summaries])).toEqual([
    ["A", "firing", "2026-01-01", ["broker.", "publish."]],
    ["B", "firing", "2026-01-03", ["B"]],
    ["A", "pending", "2026-01-01", ["later."]],
  ]);
});

test("the match with the longest wait is the example of the time to match", () => {
  const match = (match_id: string, ...waits: number[]) =>
    ({ match_id, players: waits.map(waited_seconds => ({ waited_seconds })) }) as never;
  expect(longestIn([match("a", 1, 2), match("b", 0, 40), match("c")])).toEqual({ matchId: "b", seconds: 40 });
  expect(longestIn([])).toBe(null);
});

test("processes are named if there are several, and versions if they differ", () => {
  const worker = (role: string, place: string, version = "1.0.0") => ({
    worker: `${role}@${place}/ab12`,
    role,
    version,
    started_at: "2026-01-01T00:00:00Z",
    age_seconds: 1,
    troubles: {},
  });
  expect(processesText([worker("orders:sender", "a/1"), worker("orders:janitor", "a/1")])).toBe(undefined);
  expect(processesText([worker("orders:sender", "a/1"), worker("orders:sender", "b/1"), worker("orders:janitor", "b/1")])).toBe(
    "Processes: janitor, sender in b/1; sender in a/1",
  );
  expect(processesText([worker("orders:sender", "a/1", "1.1.0"), worker("orders:janitor", "a/1")])).toBe(
    "Processes: janitor 1.0.0, sender 1.1.0 in a/1",
  );
});
