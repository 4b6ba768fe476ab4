import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { createHealth } from "../../kernel/life/health.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import type { AskResult, SendResult } from "./adapter.ts";
import { createGate } from "./gate.ts";

/** A gate, a broker that is up or down, and a clock in seconds. */
function scene() {
  const state = { now: 0, isUp: true, seen: "the broker does not answer", probes: 0 };
  const [health, metrics] = [createHealth(), createMetrics()];
  const probe = async () => {
    state.probes++;
    return state.isUp ? undefined : state.seen;
  };
  const gate = createGate({ adapter: { name: "test", probe }, log: silentLog, health, metrics, now: () => state.now * 1000 });
  const isOpen = async () => (await metrics.registry.getSingleMetric("kenri_orders_circuit_open")!.get()).values[0]?.value;
  async function goDown() {
    state.isUp = false;
    for (let n = 0; n < 5; n++) gate.saw(refused);
    await until("the probe has decided", 2000, async () => !(await gate.allows()));
  }
  return { state, gate, health, isOpen, goDown };
}

const executed: SendResult = { outcome: "succeeded", brokerOrderId: "p-1", answer: {} };
const refused: SendResult = { outcome: "retryable", code: "CONNECTION_REFUSED", message: "" };
const lost: SendResult = { outcome: "unknown", code: "TIMEOUT", message: "" };
const rejected: SendResult = { outcome: "final", code: "REJECTED", message: "" };
const silent: AskResult = { outcome: "no_answer", code: "TIMEOUT", message: "" };
const tooMany = (retryAfter: number): SendResult => ({ outcome: "retryable", code: "TOO_MANY_REQUESTS", message: "", retryAfter });

test.each([
  ["refused connections", refused],
  ["lost answers", lost],
  ["asks without an answer", silent],
])("%s close the gate if the probe finds no broker, and the next probe that does opens it", async (_, result) => {
  const { state, gate, health, isOpen } = scene();
  state.isUp = false;
  for (let n = 0; n < 5; n++) {
    expect(await gate.allows()).toBe(true);
    gate.saw(result);
  }
  await until("the probe has decided", 2000, async () => !(await gate.allows()));
  expect([gate.blocks(), await isOpen(), Object.keys(health.troubles())]).toEqual([true, 1, ["broker"]]);
  state.isUp = true;
  expect(await gate.allows()).toBe(false);
  state.now += 1;
  expect(await gate.allows()).toBe(true);
  expect([gate.blocks(), await isOpen(), Object.keys(health.troubles())]).toEqual([false, 0, []]);
});

test("a broker that answers keeps it open: rejections are answers, and failed sends alone prove nothing", async () => {
  const { gate, state } = scene();
  for (let n = 0; n < 20; n++) gate.saw(rejected);
  expect(state.probes).toBe(0);
  for (let n = 0; n < 20; n++) {
    gate.saw(lost);
    expect(await gate.allows()).toBe(true);
  }
  expect(state.probes).toBeGreaterThan(0);
});

test("health says what the probe saw, also if that changes", async () => {
  const { gate, state, health, goDown } = scene();
  state.seen = "the broker refuses the token (401)";
  await goDown();
  expect(health.troubles()).toEqual({ broker: "the broker refuses the token (401); orders wait" });
  state.seen = "the broker does not answer";
  state.now += 1;
  expect(await gate.allows()).toBe(false);
  expect(health.troubles()).toEqual({ broker: "the broker does not answer; orders wait" });
});

test("nothing is claimed or sent while a probe decides, however long it takes", async () => {
  const probed = Promise.withResolvers<string | undefined>();
  const [health, metrics] = [createHealth(), createMetrics()];
  const gate = createGate({ adapter: { name: "test", probe: () => probed.promise }, log: silentLog, health, metrics });
  for (let n = 0; n < 5; n++) gate.saw(refused);
  const claims = [gate.allows(), gate.allows()];
  expect(gate.blocks()).toBe(true);
  probed.resolve("the broker does not answer");
  expect([await Promise.all(claims), gate.blocks()]).toEqual([[false, false], true]);
});

test("a probe that fails itself closes the gate, and the next one opens it", async () => {
  const state = { now: 0, isBroken: true };
  const probe = async () => {
    if (state.isBroken) throw new Error("a bug");
    return undefined;
  };
  const gate = createGate({
    adapter: { name: "test", probe },
    log: silentLog,
    health: createHealth(),
    metrics: createMetrics(),
    now: () => state.now,
  });
  for (let n = 0; n < 5; n++) gate.saw(refused);
  await until("it is closed", 2000, async () => !(await gate.allows()));
  Object.assign(state, { now: 1000, isBroken: false });
  expect([await gate.allows(), gate.blocks()]).toEqual([true, false]);
});

test("it says how long the broker has been away without a break", async () => {
  const { gate, state, goDown } = scene();
  expect(gate.awayFor()).toBeUndefined();
  await goDown();
  state.now += 40;
  expect(await gate.allows()).toBe(false);
  expect(gate.awayFor()).toBe(40_000);
  gate.saw(executed);
  expect(gate.awayFor()).toBeUndefined();
  await goDown();
  state.now += 3;
  expect(gate.awayFor()).toBe(3000);
});

test("Retry-After pauses it, at most a minute, and the pause ends by itself", async () => {
  const { gate, state } = scene();
  gate.saw(tooMany(5));
  gate.saw(tooMany(2));
  gate.saw(executed);
  expect([await gate.allows(), gate.isPaused(), gate.blocks(), gate.awayFor()]).toEqual([false, true, true, undefined]);
  state.now += 5;
  expect([await gate.allows(), gate.isPaused(), gate.blocks()]).toEqual([true, false, false]);
  gate.saw(tooMany(86_400));
  state.now += 60;
  expect(await gate.allows()).toBe(true);
});

test.each([
  ["a refusal for now", tooMany(5), true],
  ["an ask without an answer", { ...silent, retryAfter: 5 }, true],
  ["a rejection of one order", { ...rejected, retryAfter: 5 }, false],
  ["an unknown outcome", { ...lost, retryAfter: 5 }, false],
] as const)("Retry-After of %s pauses the process only if it concerns all orders", async (_, result, isPaused) => {
  const { gate } = scene();
  gate.saw(result);
  expect([gate.isPaused(), await gate.allows()]).toEqual([isPaused, !isPaused]);
});
