import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { monitoring } from "../server/gateway/monitoring/monitoring.ts";
import { prometheus as prometheusClient } from "../server/gateway/monitoring/prometheus.ts";
import { createLog } from "../server/kernel/telemetry/log.ts";
import { choosePrometheusUrl, preparePrometheus, queryPrometheus } from "./prometheus.ts";
import { scratchFolder } from "./scratch.ts";
import { until } from "./wait.ts";
import { startWatchdog } from "./watchdog.ts";

const dir = scratchFolder();
const watchdog = startWatchdog();
const metrics =
  'kenri_outbox_oldest_pending_seconds 1\nkenri_ready{role="entitlement:api"} 0\nkenri_outbox_depth{state="failed"} 3\nkenri_health_trouble{role="entitlement:relay",part="broker"} 1\n';
const entitlement = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response(metrics, { headers: { "content-type": "text/plain" } }),
});
let prometheus: Awaited<ReturnType<typeof preparePrometheus>>;

beforeAll(async () => {
  const healthUrls = { entitlement: entitlement.url.origin, orders: "http://127.0.0.1:9" };
  const url = await choosePrometheusUrl(dir);
  prometheus = await preparePrometheus({ dir, say: () => {}, watchdog, onGiveUp: () => {}, healthUrls, every: 1, url });
  await prometheus.process.start();
});
afterAll(async () => {
  await prometheus.process.stop();
  watchdog.close();
  await entitlement.stop(true);
  rmSync(dir, { recursive: true, force: true });
});

const query = (expr: string) => queryPrometheus(prometheus.url, expr);

test("each system is scraped with its name", async () => {
  await until("both were scraped", 20_000, async () => (await query('up{job="kenri"}')).length === 2);
  const up = (await query('up{job="kenri"}')).map(({ labels, value }) => [labels.system, value]);
  expect(Object.fromEntries(up)).toEqual({ entitlement: 1, orders: 0 });
});

test("every rule is loaded and evaluated without an error", async () => {
  const states = async () => {
    const { data } = (await (await fetch(`${prometheus.url}/api/v1/rules`)).json()) as {
      data: { groups: { rules: { health: string }[] }[] };
    };
    return data.groups.flatMap(({ rules }) => rules.map(({ health }) => health));
  };
  // Budgets are evaluated every five minutes.
  await until("the rules were evaluated", 20_000, async () => (await states()).filter(health => health === "ok").length > 60);
  expect((await states()).filter(health => health === "err")).toEqual([]);
});

test("alerts see what is scraped", async () => {
  const pending = async () => new Set((await query("ALERTS")).map(({ labels }) => labels.alertname));
  const expected = ["KenriNotReady", "KenriOutboxFailed", "KenriPartInTrouble", "KenriProcessDown"];
  await until("they are pending", 20_000, async () => (await pending()).size >= expected.length);
  expect([...(await pending())].sort()).toEqual(expected);
});

test("the gateway reads the objectives and the alerts, and tells an objective without data from a good one", async () => {
  const client = prometheusClient({ url: prometheus.url, token: undefined, deadline: 5000, log: createLog("silent", {}) });
  const read = () => monitoring(client, "https://docs.example/runbook.md")();
  // The ratios follow the indicators an evaluation later.
  const isMeasured = async () =>
    (await read()).objectives.some(one => one.since !== null && one.error_5m !== null && one.error_1h !== null);
  await until("the backlog is measured", 20_000, isMeasured);
  const { state, evaluated_at, objectives, alerts, failing_rules } = await read();
  expect([state, failing_rules, objectives.length]).toEqual(["ok", [], 12]);
  expect(Date.now() - Date.parse(evaluated_at!)).toBeLessThan(60_000);
  const of = (slo: string) => objectives.find(one => one.slo === slo);
  // The budgets of 28 days are computed every five minutes.
  expect(of("backlog-age")).toMatchObject({ objective: 0.95, error_1h: 0, error_5m: 0 });
  expect(["soon", "measured"]).toContain(of("backlog-age")!.state);
  expect(Date.now() - Date.parse(of("backlog-age")!.since!)).toBeLessThan(600_000);
  expect(of("grants")).toMatchObject({ objective: 0.9995, state: "no_data", budget_remaining: null, error_1h: null, since: null });
  const down = alerts.find(({ name }) => name === "KenriProcessDown");
  expect(down).toMatchObject({ severity: "page", labels: { system: "orders" }, page: "/admin/" });
  expect(down!.runbook).toEqual({ section: "a process is down", url: "https://docs.example/runbook.md#a-process-is-down" });
  expect(down!.summary).toStartWith("orders at 127.0.0.1:9 ");
});
