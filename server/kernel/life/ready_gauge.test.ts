import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createHealth } from "./health.ts";
import { readyGauge } from "./ready_gauge.ts";

test.each([
  ["that is ready and has no store", "ready", undefined, 1],
  ["whose store answers", "ready", async () => {}, 1],
  ["whose store does not answer", "ready", () => Promise.reject(new Error("away")), 0],
  ["that is starting", "starting", async () => {}, 0],
] as const)("a role %s", async (_, state, askDatabase, expected) => {
  const [health, metrics] = [Object.assign(createHealth(), { state, askDatabase }), createMetrics()];
  const gauge = readyGauge({ role: "toy:api", health, log: silentLog, metrics });
  await gauge.start();
  await until("it has looked", 5_000, async () => (await metrics.registry.metrics()).includes('loop="ready",outcome="ok"} 1'));
  expect(await metrics.registry.metrics()).toContain(`kenri_ready{role="toy:api"} ${expected}`);
  await gauge.stop();
});
