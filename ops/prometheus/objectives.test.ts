import { expect, test } from "bun:test";
import { type RuleCase, ruleFile, testRules } from "./rule_cases.ts";

const posts = 'kenri_http_request_seconds_count{system="entitlement",method="POST",route="/v1/entitlements/grants",status=';
const orders = 'kenri_http_request_seconds_count{system="orders",method="POST",route="/do/order",status=';
const gateway = 'kenri_http_request_seconds_count{system="gateway",method="GET",route="/v1/me",status=';
const bucket = (count: string, le: string) => count.replace("_count{", `_bucket{le="${le}",`);
const steps = (step: string) => `kenri_event_step_seconds_count{step="${step}"}`;

type Growth = Readonly<Record<string, Record<string, number>>>;

/** For each objective: 100 a minute, of which 10 are bad. Values are the growth a minute. */
const tenPercentBad: Growth = {
  grants: { [`${posts}"200"}`]: 90, [`${posts}"503"}`]: 10, [`${posts.replace("grants", "other")}"503"}`]: 500 },
  orders: { [`${orders}"202"}`]: 60, [`${orders}"409"}`]: 30, [`${orders}"500"}`]: 10 },
  gateway: {
    [`${gateway}"200"}`]: 90,
    [`${gateway}"502"}`]: 10,
    [`${gateway.replace("/v1/me", "/v1/me/notifications/stream")}"503"}`]: 500,
  },
  "publish-delay": { [steps("published")]: 100, [bucket(steps("published"), "5")]: 90, [steps("sent")]: 7 },
  "delivery-time": { [steps("sent")]: 100, [bucket(steps("sent"), "30")]: 90 },
  delivery: {
    'kenri_notifications_total{outcome="sent"}': 90,
    'kenri_notifications_total{outcome="failed"}': 10,
    'kenri_notifications_total{outcome="retry"}': 500,
  },
  "order-outcome": {
    'kenri_orders_settle_seconds_count{status="succeeded"}': 100,
    'kenri_orders_settle_seconds_bucket{status="succeeded",le="30"}': 90,
  },
  "time-to-match": {
    'kenri_matchmaking_time_to_match_seconds_count{mode="rank"}': 100,
    'kenri_matchmaking_time_to_match_seconds_bucket{mode="rank",le="10"}': 90,
  },
};

const tenPercentSlow: Growth = {
  "grants-latency": { [`${posts}"200"}`]: 100, [bucket(`${posts}"200"}`, "0.25")]: 90, [`${posts}"503"}`]: 50 },
  "orders-latency": { [`${orders}"202"}`]: 100, [bucket(`${orders}"202"}`, "0.25")]: 90 },
  "gateway-latency": { [`${gateway}"200"}`]: 100, [bucket(`${gateway}"200"}`, "1")]: 90 },
};

const windows = ["5m", "30m", "1h", "2h", "6h", "1d", "3d"];
const shares = (slo: string, value: number) =>
  windows.map(window => ({ expr: `kenri:sli_error:ratio${window}{slo="${slo}"}`, at: "1h", value }));

const caseOf = (growth: Growth): RuleCase => ({
  series: Object.fromEntries(
    Object.values(growth)
      .flatMap(Object.entries)
      .map(([name, more]) => [name, `0+${more}x60`]),
  ),
  values: Object.keys(growth).flatMap(slo => shares(slo, 0.1)),
});
const ofTime: RuleCase = {
  // Nine minutes of ten within the objective.
  series: { 'kenri_outbox_oldest_pending_seconds{system="entitlement"}': "0x8 11 ".repeat(7) },
  values: [{ expr: 'kenri:sli_error:ratio1h{slo="backlog-age"}', at: "1h", value: 0.1 }],
};
const withoutErrors: RuleCase = { series: { [`${posts}"200"}`]: "0+100x60" }, values: shares("grants", 0) };
const onlyErrors: RuleCase = { series: { [`${posts}"500"}`]: "0+100x60" }, values: shares("grants", 1) };
const withoutTraffic: RuleCase = {
  series: { [`${posts}"200"}`]: "100x60" },
  values: [{ expr: 'kenri:sli_error:ratio1h{slo="grants"}', at: "1h" }],
};
const budget: RuleCase = {
  // One error in 4,000 is half of what 99.95 % allow.
  series: { [`${posts}"200"}`]: "0+3999x60", [`${posts}"500"}`]: "0+1x60" },
  values: [{ expr: 'kenri:slo:budget_remaining{slo="grants"}', at: "1h", value: 0.5 }],
};

test("each objective counts what is bad, in every window, and nothing else", () =>
  testRules([caseOf(tenPercentBad), caseOf(tenPercentSlow), ofTime]));

/** Prometheus 3 stores whole bounds of buckets so. */
const asPrometheus3 = ({ series, ...rest }: RuleCase): RuleCase => ({
  series: Object.fromEntries(Object.entries(series).map(([name, samples]) => [name.replace(/le="(\d+)"/, 'le="$1.0"'), samples])),
  ...rest,
});

test("each objective counts the same in Prometheus 3, where the bucket 5 is 5.0", () =>
  testRules([asPrometheus3(caseOf(tenPercentBad)), asPrometheus3(caseOf(tenPercentSlow))]));

test("without errors the share is 0, with errors only it is 1, and without traffic there is none", () =>
  testRules([withoutErrors, onlyErrors, withoutTraffic]));

test("the budget that remains is 1 minus the used share", () => testRules([budget]));

test("every objective has its indicator, and its test above", () => {
  const rules = ruleFile("objectives.rules.yml").groups.flatMap(group => group.rules);
  const named = (record: string) => rules.filter(rule => rule.record === record).map(rule => rule.labels!.slo!);
  const objectives = named("kenri:slo:objective").sort();
  expect(objectives).toEqual([...Object.keys({ ...tenPercentBad, ...tenPercentSlow }), "backlog-age"].sort());
  for (const record of ["kenri:sli_total:rate5m", "kenri:sli_good:rate5m"]) expect(named(record).sort()).toEqual(objectives);
});

test("a wrong expectation is noticed", () =>
  expect(testRules([{ series: {}, values: [{ expr: "vector(1)", at: "1m", value: 2 }] }])).rejects.toThrow(/exp:/));
