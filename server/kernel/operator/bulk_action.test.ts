import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { bulkLoop } from "./bulk.ts";

test("an operation whose action the kind does not offer is stopped, and the operations after it go on", async () => {
  const running = new Map([
    ["old", "discard"],
    ["new", "requeue"],
  ]);
  const stopped: string[] = [];
  const batch = { operation_id: "new", status: "DONE", changed: 3, unchanged: 0 };
  let wakes = 0;
  const bulk = bulkLoop({
    kind: "letters",
    sql: {
      bulk: { requeue: async ({ operation_id }) => (running.delete(operation_id) ? [batch] : []) },
      operations: {
        next: async () => [...running].map(([operation_id, action]) => ({ operation_id, action, refusals: 0 })),
        refused: async () => [],
        without_key: async () => [],
        stop: async ({ operation_id, reason }) => {
          stopped.push(reason);
          return running.delete(operation_id) ? [operation_id] : [];
        },
        items: async () => [],
        fail_item: async () => [],
      },
    },
    batch: 100,
    pace: 10,
    requeued: () => wakes++,
    log: silentLog,
    metrics: createMetrics(),
  });
  await bulk.start();
  await until("both operations have ended", 5000, () => running.size === 0);
  await bulk.stop();
  expect([stopped, wakes]).toEqual([["there is no action discard of letters any more"], 1]);
});
