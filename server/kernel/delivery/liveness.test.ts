import { afterEach, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { DeadlineError } from "../life/deadline.ts";
import { createHealth } from "../life/health.ts";
import type { Service } from "../life/service.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { countWork, liveness } from "./liveness.ts";

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(one => one.stop())));

interface World {
  readonly isDue?: (look: number) => Promise<boolean>;
  readonly answers?: () => Promise<unknown>;
  readonly looks?: number;
  readonly isPaused?: () => boolean;
  readonly longestBatch?: number;
}

async function watched({ isDue = async () => true, answers = async () => {}, looks = 4, longestBatch = 0, isPaused = () => false }: World) {
  const [work, metrics, health] = [countWork(), createMetrics(), createHealth()];
  const ends: string[] = [];
  let asked = 0;
  const alive = liveness({
    context: { role: "room:worker", log: silentLog, metrics, health, giveUp: why => void ends.push(why) },
    every: 2,
    looks,
    longestBatch,
    work,
    isPaused,
    isDue: () => isDue(++asked),
    answers,
  });
  running.push(alive);
  await alive.start();
  const stuck = async () => (await metrics.workerStuck.get()).values[0]?.value ?? 0;
  return { work, health, ends, asked: () => asked, stuck };
}

test("two kinds of work are watched apart: the one that moves does not hide the one that stands still", async () => {
  const [metrics, health] = [createMetrics(), createHealth()];
  const ends: string[] = [];
  const context = { role: "room:worker", log: silentLog, metrics, health, giveUp: (why: string) => void ends.push(why) };
  let seen = 0;
  const watch = (of: string, isDue: (work: ReturnType<typeof countWork>) => void) => {
    const work = countWork();
    const due = async () => {
      isDue(work);
      return true;
    };
    return liveness({ context, of, every: 2, looks: 4, longestBatch: 0, work, isPaused: () => false, isDue: due, answers: async () => {} });
  };
  running.push(
    watch("moving", work => {
      seen++;
      work.did(1);
    }),
    watch("still", () => {}),
  );
  await Promise.all(running.map(one => one.start()));
  await until("health names it", 2000, () => "liveness of still" in health.troubles());
  await until("it ends", 2000, () => ends.length > 0);
  await until("the other was looked at many times", 2000, () => seen > 10);
  expect(ends).toEqual(["work of still was due, what it needs answered, and nothing was done for 4 looks"]);
  expect("liveness of moving" in health.troubles()).toBe(false);
});

describe("a worker", () => {
  test("that does nothing although work is due and everything answers ends once, is counted, and is reported in health before", async () => {
    const { health, ends, stuck, asked } = await watched({});
    await until("health says so", 2000, () => "liveness" in health.troubles());
    await until("it ends", 2000, () => ends.length > 0);
    expect([ends.length, asked(), await stuck()]).toEqual([1, 4, 1]);
    expect(ends[0]).toContain("nothing was done for 4 looks");
  });

  test.each([
    ["has nothing to do", { isDue: async () => false }],
    ["cannot find out whether there is work", { isDue: () => Promise.reject(new Error("away")) }],
    ["needs what does not answer", { answers: () => Promise.reject(new Error("away")) }],
    ["finds work in some looks only", { isDue: async (look: number) => look % 4 !== 0 }],
    ["has batches that may take long", { longestBatch: 10_000 }],
  ] as const)("that %s goes on", async (_, world) => {
    const { ends, asked, stuck } = await watched(world);
    await until("it was looked at many times", 5000, () => asked() > 40);
    expect([ends, await stuck()]).toEqual([[], 0]);
  });

  test("that is paused goes on, and is watched again after it was resumed", async () => {
    let looks = 0;
    let isPaused = true;
    const { ends, stuck } = await watched({
      isPaused: () => {
        looks++;
        return isPaused;
      },
    });
    await until("it was looked at many times", 5000, () => looks > 40);
    expect([ends, await stuck()]).toEqual([[], 0]);
    isPaused = false;
    await until("it ends", 2000, () => ends.length > 0);
    expect(ends[0]).toContain("nothing was done for 4 looks");
  });

  test("that makes progress between two looks goes on", async () => {
    const { ends, asked, work } = await watched({
      isDue: async look => {
        if (look % 3 === 0) work.did(1);
        return true;
      },
    });
    await until("it was looked at many times", 5000, () => asked() > 40);
    expect(ends).toEqual([]);
  });

  test("whose database is away goes on", async () => {
    const { ends, asked, work } = await watched({
      isDue: async look => {
        if (look % 3 === 0) await refused(undefined).catch(() => {});
        return true;
      },
    });
    const refused = work.counted(
      () => Promise.reject(new DeadlineError("the database", 1)),
      () => 0,
    );
    await until("it was looked at many times", 5000, () => asked() > 40);
    expect([ends, work.done()]).toEqual([[], 0]);
    expect(work.setbacks()).toBeGreaterThan(10);
  });

  test("whose runs fail by a bug ends", async () => {
    const { ends, work } = await watched({});
    const broken = work.counted(
      () => Promise.reject(new TypeError("a bug")),
      () => 0,
    );
    await until("it ends", 2000, async () => {
      await broken(undefined).catch(() => {});
      return ends.length > 0;
    });
  });
});

test("the result of a run is counted", async () => {
  const work = countWork();
  const run = work.counted(
    async (rows: number[]) => rows,
    rows => rows.length,
  );
  expect(await run([1, 2, 3])).toEqual([1, 2, 3]);
  await run([]);
  work.did(2);
  expect([work.done(), work.setbacks()]).toEqual([5, 0]);
});
