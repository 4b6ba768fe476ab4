import { describe, expect, test } from "bun:test";
import { createMetrics, mergeSnapshots, type Snapshot, workerMetrics } from "./metrics.ts";

/** A worker's life: it counts, and its snapshots are what its parent sees. */
function worker() {
  const metrics = createMetrics();
  const events = metrics.counter("events_total", "Events.", ["outcome", "kind"]);
  const depth = metrics.gauge("depth", "Depth.", ["state"]);
  const seconds = metrics.histogram("seconds", "Time.", ["part"]);
  return { metrics, events, depth, seconds, snapshot: (): Promise<Snapshot> => metrics.registry.getMetricsAsJSON() };
}

function read(text: string, line: string): number {
  const found = text.split("\n").find(one => one.startsWith(`${line} `));
  return found === undefined ? Number.NaN : Number(found.slice(line.length + 1));
}

describe("the metrics of a process", () => {
  test("add up its own and those of its live workers", async () => {
    const [own, one, two, collected] = [worker(), worker(), worker(), workerMetrics()];
    own.events.inc({ outcome: "ok", kind: "a" }, 1);
    one.events.inc({ outcome: "ok", kind: "a" }, 10);
    two.events.inc({ outcome: "ok", kind: "a" }, 100);
    two.events.inc({ outcome: "failed", kind: "a" }, 5);
    collected.update("one", await one.snapshot());
    collected.update("two", await two.snapshot());
    const text = await collected.text(own.metrics.registry);
    expect(read(text, 'kenri_events_total{outcome="ok",kind="a"}')).toBe(111);
    expect(read(text, 'kenri_events_total{outcome="failed",kind="a"}')).toBe(5);
  });

  test("count a worker's latest word, not the sum of all it said", async () => {
    const [own, one, collected] = [createMetrics(), worker(), workerMetrics()];
    for (let n = 0; n < 5; n++) {
      one.events.inc({ outcome: "ok", kind: "a" });
      collected.update("one", await one.snapshot());
    }
    expect(read(await collected.text(own.registry), 'kenri_events_total{outcome="ok",kind="a"}')).toBe(5);
  });

  test("never let a counter or a histogram fall, however often workers end and begin", async () => {
    const [own, collected] = [createMetrics(), workerMetrics()];
    let last = 0;
    for (let life = 1; life <= 20; life++) {
      const one = worker();
      for (let n = 0; n < life; n++) {
        one.events.inc({ outcome: "ok", kind: "a" });
        one.seconds.observe({ part: "x" }, 0.002);
        collected.update(`life ${life}`, await one.snapshot());
      }
      for (const ended of [false, true]) {
        if (ended) collected.end(`life ${life}`);
        const text = await collected.text(own.registry);
        const now = read(text, 'kenri_events_total{outcome="ok",kind="a"}');
        expect(now).toBeGreaterThanOrEqual(last);
        expect(read(text, 'kenri_seconds_count{part="x"}')).toBe(now);
        expect(read(text, 'kenri_seconds_bucket{le="0.0025",part="x"}')).toBe(now);
        last = now;
      }
    }
    expect(last).toBe(210);
  });

  test("forget the gauges of a worker that ended, and show the highest of those alive", async () => {
    const [own, one, two, collected] = [createMetrics(), worker(), worker(), workerMetrics()];
    one.depth.set({ state: "pending" }, 7);
    two.depth.set({ state: "pending" }, 3);
    collected.update("one", await one.snapshot());
    collected.update("two", await two.snapshot());
    expect(read(await collected.text(own.registry), 'kenri_depth{state="pending"}')).toBe(7);
    collected.end("one");
    expect(read(await collected.text(own.registry), 'kenri_depth{state="pending"}')).toBe(3);
    collected.end("two");
    collected.end("never seen");
    expect(read(await collected.text(own.registry), 'kenri_depth{state="pending"}')).toBeNaN();
  });

  test("cross from a worker to its parent as data", async () => {
    const [own, one, collected] = [createMetrics(), worker(), workerMetrics()];
    one.seconds.observe({ part: "x" }, 1);
    collected.update("one", structuredClone(await one.snapshot()));
    collected.end("one");
    expect(read(await collected.text(own.registry), 'kenri_seconds_sum{part="x"}')).toBe(1);
  });
});

test("snapshots are added value by value, and stay as they were themselves", async () => {
  const [one, two] = [worker(), worker()];
  one.events.inc({ outcome: "ok", kind: "a" }, 1);
  two.events.inc({ kind: "a", outcome: "ok" }, 2);
  two.events.inc({ outcome: "ok", kind: "b" }, 4);
  const [first, second] = [await one.snapshot(), await two.snapshot()];
  const values = (snapshot: Snapshot) => snapshot.find(metric => metric.name === "kenri_events_total")!.values.map(value => value.value);
  expect(values(mergeSnapshots([first, second])).toSorted()).toEqual([3, 4]);
  expect([values(first), values(second)]).toEqual([[1], [2, 4]]);
});
