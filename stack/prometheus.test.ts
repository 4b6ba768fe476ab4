import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { preparePrometheus, queryPrometheus } from "./prometheus.ts";
import { scratchFolder } from "./scratch.ts";
import { until } from "./wait.ts";
import { startWatchdog } from "./watchdog.ts";

const dir = scratchFolder();
const watchdog = startWatchdog();
const metrics =
  'kenri_ready{role="entitlement:api"} 0\nkenri_outbox_depth{state="failed"} 3\nkenri_health_trouble{role="entitlement:relay",part="broker"} 1\n';
const entitlement = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response(metrics, { headers: { "content-type": "text/plain" } }),
});
let prometheus: Awaited<ReturnType<typeof preparePrometheus>>;

beforeAll(async () => {
  const healthUrls = { entitlement: entitlement.url.origin, orders: "http://127.0.0.1:9" };
  prometheus = await preparePrometheus({ dir, say: () => {}, watchdog, onGiveUp: () => {}, healthUrls, every: 1 });
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
