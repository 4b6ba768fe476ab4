import { describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { bucketOf, createFlow, flowKeeper, percentile } from "./flow.ts";
import { seriesOf } from "./flow_routes.ts";

const minute = 60_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const event = (at: number) => ({ payload: { occurred_at: new Date(at).toISOString() } });

describe("times are counted on a scale that grows with them", () => {
  test.each([0.3, 1, 7, 42, 180, 999, 5_000, 61_000, 3_600_000, 86_400_000])("%d ms is reported within 10 %%", milliseconds => {
    const buckets: number[] = Array(bucketOf(milliseconds) + 1).fill(0);
    buckets[bucketOf(milliseconds)] = 1;
    const reported = percentile(buckets, 0.99)!;
    expect(Math.abs(reported - milliseconds)).toBeLessThanOrEqual(Math.max(milliseconds * 0.1, 1));
  });

  test("half of them are below the median, and the slowest hundredth shows in p99", () => {
    const buckets: number[] = Array(60).fill(0);
    buckets[bucketOf(10)] = 98;
    buckets[bucketOf(5000)] = 2;
    expect(percentile(buckets, 0.5)).toBeLessThan(12);
    expect(percentile(buckets, 0.99)).toBeGreaterThan(4500);
  });

  test("impossible times are still counted: the future as now, the very old in the last bucket, no time without a time", () => {
    const flow = createFlow(createMetrics(), () => start);
    flow.passed("sent", [event(start + 5000), event(start - 1e12), { payload: null }, { payload: { occurred_at: "soon" } }]);
    const { count, buckets } = flow.take()[0]!;
    expect({ count, timed: buckets.reduce((sum, one) => sum + one, 0), first: buckets[0], length: buckets.length }).toEqual({
      count: 4,
      timed: 2,
      first: 1,
      length: 109,
    });
  });

  test("the metric has the same times, and no time before the change", async () => {
    const metrics = createMetrics();
    createFlow(metrics, () => start).passed("sent", [event(start - 3000), event(start + 5000), { payload: null }]);
    const text = await metrics.registry.metrics();
    expect(text).toContain('kenri_event_step_seconds_bucket{le="2.5",step="sent"} 1');
    expect(text).toContain('kenri_event_step_seconds_bucket{le="5",step="sent"} 2');
    expect(text).toContain('kenri_event_step_seconds_sum{step="sent"} 3');
  });

  test("the slowest event of a minute is kept with its id, also across tallies that could not be stored", () => {
    const flow = createFlow(createMetrics(), () => start);
    const passing = (event_id: string, took: number) => ({ event_id, ...event(start - took) });
    flow.passed("sent", [passing("a", 50), passing("b", 9000), passing("c", 70), { payload: null, event_id: "untimed" }, event(0)]);
    const taken = flow.take();
    expect(taken[0]!.slowest).toEqual({ id: "b", ms: 9000 });
    flow.passed("sent", [passing("d", 100)]);
    flow.putBack(taken);
    expect(flow.take()[0]!.slowest).toEqual({ id: "b", ms: 9000 });
    flow.took("settled", "o", 1200.4);
    flow.took("settled", "p", 3);
    expect(flow.take()).toEqual([expect.objectContaining({ step: "settled", count: 2, slowest: { id: "o", ms: 1200 } })]);
  });

  test("nothing counted has no percentile", () => expect([percentile([], 0.5), percentile([0, 0], 0.99)]).toEqual([null, null]));
});

describe("what was counted", () => {
  const keeper = (add: (parameters: { minute: readonly string[]; count: readonly number[] }) => Promise<unknown>, now: () => number) => {
    const flow = createFlow(createMetrics(), now);
    return { flow, service: flowKeeper({ flow, add, every: 20, log: silentLog, metrics: createMetrics() }) };
  };

  test("is stored by one statement for all minutes and steps, and by none if there is nothing to store", async () => {
    let now = start;
    const stored: unknown[] = [];
    const { flow, service } = keeper(
      async parameters => stored.push(parameters),
      () => now,
    );
    flow.count("changed", 3);
    flow.count("changed", 0);
    now += minute;
    flow.passed("published", [event(now - 10), { event_id: "e", ...event(now - 10) }]);
    await service.start();
    await until("it is stored", 2000, () => stored.length === 1);
    await service.stop();
    expect(stored).toEqual([
      {
        minute: ["2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z"],
        step: ["changed", "published"],
        count: [3, 2],
        buckets: ["{}", `{${[...Array(bucketOf(10)).fill(0), 2].join(",")}}`],
        slowest_id: [null, "e"],
        slowest_ms: [null, 10],
      },
    ]);
  });

  test("waits when it cannot be stored, at most an hour, and is stored once", async () => {
    let now = start;
    let isAway = true;
    let tries = 0;
    const counts: number[] = [];
    const { flow, service } = keeper(
      async ({ count }) => {
        tries++;
        if (isAway) throw new Error("away");
        counts.push(...count);
      },
      () => now,
    );
    flow.count("sent", 5);
    await service.start();
    await until("it was tried twice", 2000, () => tries >= 2);
    flow.count("sent", 2);
    now += 61 * minute;
    flow.count("sent", 1);
    await until("it was tried again", 2000, () => tries >= 4);
    isAway = false;
    await service.stop();
    expect(counts).toEqual([1]);
  });

  test("is stored at the stop too, and a database that hangs does not delay the stop", async () => {
    const stored: (readonly number[])[] = [];
    const { flow, service } = keeper(
      ({ count }) => {
        stored.push(count);
        return stored.length === 1 ? Promise.resolve() : new Promise(() => {});
      },
      () => start,
    );
    await service.start();
    flow.count("sent", 1);
    await until("the first is stored", 2000, () => stored.length === 1);
    const began = performance.now();
    flow.count("sent", 2);
    await service.stop();
    expect(stored).toEqual([[1], [2]]);
    expect(performance.now() - began).toBeLessThan(3000);
  });

  test("is given up at the stop if the database already hangs", async () => {
    let tries = 0;
    const { flow, service } = keeper(
      () => {
        tries++;
        return new Promise(() => {});
      },
      () => start,
    );
    await service.start();
    flow.count("sent", 1);
    await until("it hangs", 2000, () => tries === 1);
    flow.count("sent", 1);
    const began = performance.now();
    await service.stop();
    expect([tries, performance.now() - began < 3000]).toEqual([1, true]);
  });
});

test("a series has every minute with every step, and only steps that are shown", () => {
  const rows = [
    { minute: "a", step: null, count: null, buckets: null },
    { minute: "b", step: "sent", count: 2, buckets: "{2}" },
    { minute: "b", step: "unheard_of", count: 9, buckets: "{}" },
  ];
  const none = { count: 0, p50_ms: null, p99_ms: null };
  expect(seriesOf(rows, ["sent", "failed"])).toEqual([
    { minute: "a", sent: none, failed: none },
    { minute: "b", sent: { count: 2, p50_ms: 1, p99_ms: 1 }, failed: none },
  ]);
});
