import { expect, test } from "bun:test";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { scratchFolder } from "../../stack/scratch.ts";
import { fasterExpression, fasterRules, fasterTime } from "./faster_rules.ts";
import { promtool, type Rule, ruleFiles } from "./rule_cases.ts";

test.each([
  ["1m", "5000ms"],
  ["15m", "75000ms"],
  ["28d", "201600000ms"],
  ["1ms", "1ms"],
])("a time is divided: %s", (time, faster) => expect(fasterTime(time, 12)).toBe(faster));

test("a time in two units is refused, not misread", () => expect(() => fasterTime("1h30m", 12)).toThrow("1h30m is no time in one unit"));

test.each([
  // ranges and offsets
  [
    "sum(increase(a_total[15m])) > 0 or sum(a_total unless a_total offset 15m) > 3",
    "sum(increase(a_total[75000ms])) > 0 or sum(a_total unless a_total offset 75000ms) > 3",
  ],
  ["min_over_time((max(a))[2m:30s]) > 0", "min_over_time((max(a))[10000ms:2500ms]) > 0"],
  // ages
  ["max(kenri_outbox_oldest_pending_seconds) > 300", "max(kenri_outbox_oldest_pending_seconds) > 25"],
  ["max by (mode) (kenri_match_relay_lag_seconds) > 30", "max by (mode) (kenri_match_relay_lag_seconds) > 2.5"],
  // the errors in a range
  ["avg_over_time(kenri:sli_error:rate5m[1h]) * 3600 > 10", "avg_over_time(kenri:sli_error:rate5m[300000ms]) * 300 > 10"],
])("the times in an expression are divided: %s", (expr, faster) => expect(fasterExpression(expr, 12)).toBe(faster));

test.each([
  'up{job="kenri"} == 0',
  "max by (system, thread) (kenri_event_loop_lag_seconds) > 1",
  'max(kenri_outbox_depth{state="failed"}) > 0',
  "sum(max(kenri_outbox_oldest_pending_seconds) < bool 10)",
  "kenri:sli_error:ratio1h > on (slo) (14.4 * (1 - kenri:slo:objective))",
])("everything else stays: %s", expr => expect(fasterExpression(expr, 12)).toBe(expr));

const withoutTimes = (text: string) => text.replace(/\d+(\.\d+)?(ms|[smhdw])?/g, "#");
const rulesOf = (text: string) => (parse(text) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

test("Kenri's own rules stay the same but for numbers, and promtool accepts them", async () => {
  const place = scratchFolder();
  try {
    for (const file of ruleFiles) {
      const text = readFileSync(file, "utf8");
      const faster = fasterRules(text, 12);
      const [before, after] = [rulesOf(text), rulesOf(faster)];
      expect(after.map(({ expr }) => withoutTimes(expr))).toEqual(before.map(({ expr }) => withoutTimes(String(expr))));
      expect(after.map(({ annotations, labels }) => ({ annotations, labels }))).toEqual(
        before.map(({ annotations, labels }) => ({ annotations, labels })),
      );
      const written = join(place, basename(file));
      writeFileSync(written, faster);
      expect(await promtool("check", "rules", written)).toMatchObject({ code: 0 });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
