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
  readonly longestBatch?: number;
}

async function watched({ isDue = async () => true, answers = async () => {}, looks = 4, longestBatch = 0 }: World) {
  const [work, metrics, health] = [countWork(), createMetrics(), createHealth()];
  const ends: string[] = [];
  let asked = 0;
  const alive = liveness({
    context: { role: "room:worker", log: silentLog, metrics, health, giveUp: why => void ends.push(why) },
    every: 2,
    looks,
    longestBatch,
    work,
    isDue: () => isDue(++asked),
    answers,
  });
  running.push(alive);
  await alive.start();
  const stuck = async () => (await metrics.workerStuck.get()).values[0]?.value ?? 0;
  return { work, health, ends, asked: () => asked, stuck };
}

describe("a worker", () => {
  test("that does nothing although work is due and everything answers ends once, is counted, and says so before", async () => {
    const { health, ends, stuck, asked } = await watched({});
    await until("health says so", 2000, () => "liveness" in health.troubles());
    await until("it ends", 2000, () => ends.length > 0);
    expect([ends.length, asked(), await stuck()]).toEqual([1, 4, 1]);
    expect(ends[0]).toContain("nothing was done for 4 looks");
  });

  test.each([
    ["has nothing to do", { isDue: async () => false }],
    ["cannot learn whether there is work", { isDue: () => Promise.reject(new Error("away")) }],
    ["needs what does not answer", { answers: () => Promise.reject(new Error("away")) }],
    ["finds work in some looks only", { isDue: async (look: number) => look % 4 !== 0 }],
    ["has batches that may take long", { longestBatch: 10_000 }],
  ] as const)("that %s is left alone", async (_, world) => {
    const { ends, asked, stuck } = await watched(world);
    await until("it was looked at many times", 5000, () => asked() > 40);
    expect([ends, await stuck()]).toEqual([[], 0]);
  });

  test("that gets something done between two looks is left alone", async () => {
    const { ends, asked, work } = await watched({
      isDue: async look => {
        if (look % 3 === 0) work.did(1);
        return true;
      },
    });
    await until("it was looked at many times", 5000, () => asked() > 40);
    expect(ends).toEqual([]);
  });

  test("that its database keeps from its work is left alone", async () => {
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

test("what is counted is what a run says it did", async () => {
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
