import { describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics, workerMetrics } from "../telemetry/metrics.ts";
import { createHealth } from "./health.ts";
import { workerHost } from "./worker_host.ts";

const entry = new URL("../../testing/worker_fixture.ts", import.meta.url);

function host(role: string, stopWithin = 3000, watch?: { every: number; patience: number }) {
  const [metrics, collected, health] = [createMetrics(), workerMetrics(), createHealth()];
  const service = workerHost({ role, entry, log: silentLog, metrics, collected, health, stopWithin, ...(watch ? { watch } : {}) });
  const lives = async () => Number(/^kenri_lives_total (\d+)$/m.exec(await collected.text(metrics.registry))?.[1] ?? 0);
  const restarts = async () => (await metrics.workerRestarts.get()).values[0]?.value ?? 0;
  const stuck = async () => Number(/^kenri_worker_stuck_total{.*} (\d+)$/m.exec(await collected.text(metrics.registry))?.[1] ?? 0);
  const asked = async () => Number(/^kenri_asked_total (\d+)$/m.exec(await collected.text(metrics.registry))?.[1] ?? 0);
  const alive = async () => (await collected.text(metrics.registry)).includes("\nkenri_alive 1");
  return { ...service, health, lives, restarts, stuck, asked, alive };
}

describe("a worker", () => {
  test("runs, reports, and ends at a stop", async () => {
    const one = host("works");
    await one.start();
    await until("it is heard", 5000, async () => (await one.lives()) === 1);
    expect(await one.alive()).toBe(true);
    await one.stop();
    expect(await one.alive()).toBe(false);
    expect([await one.lives(), await one.restarts(), one.health.troubles()]).toEqual([1, 0, {}]);
  });

  test("is asked for its metrics when they are read, and counts that it did not report yet are there", async () => {
    const one = host("counts quietly");
    await one.start();
    await until("it lives", 5000, async () => (await one.lives()) >= 1);
    const [first, second] = [await one.asked(), await one.asked()];
    expect(second).toBe(first + 1);
    await one.stop();
  });

  test("that does not answer the question for its metrics does not hold up those of the others", async () => {
    const one = host("does not answer");
    await one.start();
    await until("it lives", 5000, async () => (await one.lives()) === 1);
    expect(await one.alive()).toBe(true);
    await one.stop();
  });

  test("reports its troubles to its parent", async () => {
    const one = host("complains");
    await one.start();
    await until("its trouble shows", 5000, () => one.health.troubles().complains === "broker: NATS is not connected");
    await one.stop();
  });

  test.each(["crashes", "ends quietly", "throws", "rejects"])("that %s is restarted, and shown as a trouble meanwhile", async role => {
    const one = host(role);
    await one.start();
    await until("it has lived three times", 10_000, async () => (await one.lives()) >= 3);
    expect(await one.restarts()).toBeGreaterThanOrEqual(2);
    await one.stop();
    const lives = await one.lives();
    await new Promise(resolve => setImmediate(resolve));
    expect(await one.lives()).toBe(lives);
  });

  test("that gives up is restarted; its reason is shown meanwhile, and its last counts are kept", async () => {
    const one = host("gives up");
    await one.start();
    await until("its reason shows", 5000, () => one.health.troubles()["gives up"] === "the worker is started again: nothing was done");
    await until("it has lived twice", 10_000, async () => (await one.lives()) >= 2);
    expect(await one.stuck()).toBeGreaterThanOrEqual(1);
    await one.stop();
  });

  test("that hangs is ended and restarted", async () => {
    const one = host("spins", 200, { every: 50, patience: 10 });
    await one.start();
    await until("it has lived twice", 10_000, async () => (await one.lives()) >= 2);
    expect(await one.restarts()).toBeGreaterThanOrEqual(1);
    await one.stop();
  });

  test("is not restarted after a stop", async () => {
    const one = host("crashes");
    await one.start();
    await until("it crashed", 5000, async () => (await one.restarts()) === 1);
    const lives = await one.lives();
    await one.stop();
    // The restart was due within 200 ms.
    const livesAgain = until("it lives again", 400, async () => (await one.lives()) > lives);
    expect(await livesAgain.catch(() => "stays down")).toBe("stays down");
  });

  test.each(["ignores its stop", "spins"])("that %s is terminated after its deadline, and the stop returns only then", async role => {
    const one = host(role, 200);
    await one.start();
    await until("it runs", 5000, async () => (await one.lives()) === 1);
    const since = performance.now();
    await one.stop();
    expect(await one.alive()).toBe(false);
    expect(performance.now() - since).toBeLessThan(3000);
    expect(await one.restarts()).toBe(0);
  });

  test("that was never started has nothing to stop", async () => {
    await host("works").stop();
  });
});
