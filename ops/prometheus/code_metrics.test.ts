import { expect, test } from "bun:test";
import { unknownIn } from "./code_metrics.ts";
import { rules } from "./rule_cases.ts";

test.each(rules.map(({ alert, record, labels, expr }) => [alert ?? `${record} ${labels?.slo ?? ""}`.trim(), expr]))(
  "the rule %s uses metrics and labels that the code makes",
  (_, expr) => expect(unknownIn(expr)).toEqual([]),
);

test.each([
  ["kenri_nothing_total", ["kenri_nothing_total"]],
  ['sum by (mode) (rate(nothing{mode="rank"}[5m])) and on () vector(1)', ["nothing"]],
  ['kenri_changes_total{system="entitlement", mode=~"a|b"}', ["kenri_changes_total{mode}"]],
  ["sum by (system, mode) (kenri_changes_total) / sum by (outcome) (kenri_changes_total)", Array(2).fill("kenri_changes_total{mode}")],
  // A histogram has three metrics, and only one of them has `le`.
  ["kenri_sql_seconds", ["kenri_sql_seconds"]],
  ["sum by (le) (kenri_sql_seconds_bucket)", []],
  ["sum by (le) (kenri_sql_seconds_count)", ["kenri_sql_seconds_count{le}"]],
  ["kenri_changes_total_count", ["kenri_changes_total_count"]],
  // The code makes this name with a variable part.
  ["kenri_match_stream_losses_total", []],
  ['kenri:sli_error:ratio1h{system="a"}', ["kenri:sli_error:ratio1h{system}"]],
  ["kenri:nothing", ["kenri:nothing"]],
  ['max by (mode) (kenri_match_relay_lag_seconds) unless on () (max(kenri_paused{role="a", mode="b"}) == 1)', ["kenri_paused{mode}"]],
])("in %s it finds %p", (query, unknown) => expect(unknownIn(query)).toEqual(unknown));
