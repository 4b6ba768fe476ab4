import { describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { loop, retryWhile } from "./loop.ts";

const forever = 3_600_000;
const options = { name: "test", full: 10, interval: forever, log: silentLog };
const turn = () => new Promise(resolve => setImmediate(resolve));

describe("a loop", () => {
  test("goes again at once on a full batch, and rests on any other", async () => {
    const counts = [10, 11, 9];
    let runs = 0;
    const one = loop({ ...options, metrics: createMetrics(), runOnce: async () => counts[runs++] ?? 0 });
    await one.start();
    await until("three runs", 2000, () => runs === 3);
    for (let n = 0; n < 5; n++) await turn();
    expect(runs).toBe(3);
    await one.stop();
  });

  test("runs again by itself after its interval", async () => {
    let runs = 0;
    const one = loop({ ...options, interval: 5, metrics: createMetrics(), runOnce: async () => Math.min(0, runs++) });
    await one.start();
    await until("five runs", 2000, () => runs >= 5);
    await one.stop();
  });

  test("never loses a wake: one while it rests ends the rest, one during a run makes it run once more", async () => {
    let runs = 0;
    let finish: () => void = () => {};
    const one = loop({
      ...options,
      metrics: createMetrics(),
      runOnce: () => {
        runs++;
        return new Promise(resolve => {
          finish = () => resolve(0);
        });
      },
    });
    await one.start();
    one.wake();
    one.wake();
    finish();
    await until("the wake during the run was heard", 2000, () => runs === 2);
    finish();
    await turn();
    one.wake();
    await until("the wake during the rest was heard", 2000, () => runs === 3);
    finish();
    await turn();
    await turn();
    expect(runs).toBe(3);
    await one.stop();
  });

  test("hears every wake of many, whenever they come", async () => {
    let asked = 0;
    let done = 0;
    const one = loop({
      ...options,
      metrics: createMetrics(),
      runOnce: async () => {
        const upTo = asked;
        await turn();
        done = upTo;
        return 0;
      },
    });
    await one.start();
    for (let n = 1; n <= 300; n++) {
      asked = n;
      one.wake();
      if (n % 3 === 0) await turn();
    }
    await until("the last wake was heard", 2000, () => done === 300);
    await one.stop();
  });

  test("goes on after an error, after a pause that grows, and counts it", async () => {
    const times: number[] = [];
    const metrics = createMetrics();
    const failing = async () => {
      times.push(performance.now());
      if (times.length <= 3) throw new Error("trouble");
      return 0;
    };
    const one = loop({ ...options, metrics, runOnce: failing });
    await one.start();
    one.wake();
    await until("it ran again after three errors", 5000, () => times.length === 4);
    await one.stop();
    const pauses = times.slice(1).map((time, n) => time - times[n]!);
    expect(pauses[0]!).toBeGreaterThan(45);
    expect(pauses[2]!).toBeGreaterThan(190);
    expect((await metrics.loopRuns.get()).values).toContainEqual({ labels: { loop: "test", outcome: "error" }, value: 3 });
  });

  test("stops only after the run under way, and tells that run of it", async () => {
    const events: string[] = [];
    const one = loop({
      ...options,
      metrics: createMetrics(),
      runOnce: async stopping => {
        events.push("run begins");
        await new Promise(resolve => stopping.addEventListener("abort", resolve));
        await turn();
        events.push("run ends");
        return 10;
      },
    });
    await one.start();
    await until("the run began", 2000, () => events.length === 1);
    await one.stop();
    events.push("stopped");
    expect(events).toEqual(["run begins", "run ends", "stopped"]);
  });

  test("stops at once while it rests, also after an error", async () => {
    for (const runOnce of [async () => 0, () => Promise.reject(new Error("trouble"))]) {
      let runs = 0;
      const counted = () => {
        runs++;
        return runOnce();
      };
      const one = loop({ ...options, metrics: createMetrics(), runOnce: counted });
      await one.start();
      await until("it ran", 2000, () => runs > 0);
      await one.stop();
      const before = runs;
      one.wake();
      await turn();
      expect(runs).toBe(before);
    }
  });

  test("that was never started does not run", async () => {
    let runs = 0;
    const one = loop({ ...options, metrics: createMetrics(), runOnce: async () => runs++ });
    one.wake();
    await one.stop();
    expect(runs).toBe(0);
  });
});

describe("patience", () => {
  test("tries until it works", async () => {
    let tries = 0;
    const attempt = async () => (++tries < 3 ? Promise.reject(new Error("not yet")) : "done");
    expect(await retryWhile(attempt, () => true, new AbortController().signal)).toBe("done");
  });

  test("ends at what makes no sense to try again, and at a stop", async () => {
    const failing = () => Promise.reject(new Error("no"));
    expect(await retryWhile(failing, () => false, new AbortController().signal).catch(error => error.message)).toBe("no");
    const stopping = new AbortController();
    const trying = retryWhile(failing, () => true, stopping.signal).catch(error => error.message);
    stopping.abort();
    expect(await trying).toBe("no");
  });
});
