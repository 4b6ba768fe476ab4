import { afterEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { faults } from "../life/fault.ts";
import { createHealth } from "../life/health.ts";
import type { Service } from "../life/service.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import type { ClaimParameters } from "./claim_batch.ts";
import type { Claim } from "./lease.ts";
import { leasedWorker } from "./leased_worker.ts";
import { countWork } from "./liveness.ts";

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(one => one.stop())));

type Row = { readonly id: string; readonly aggregate_key: string };
const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: `${n}`, aggregate_key: `${n}` }));

/** A worker over rows in memory, with two lanes of two rows each and an interval that no test waits for. */
async function working(rows: Row[], { mayClaim = true, holds = Promise.resolve() }: { mayClaim?: boolean; holds?: Promise<void> } = {}) {
  const seen = {
    claims: [] as ClaimParameters[],
    delivered: [] as Claim<Row>[],
    reclaimed: 0,
    reclaims: 0,
    looks: 0,
    depths: [] as object[],
    lost: [] as string[],
  };
  const state = { mayClaim, isPaused: false, expired: [] as Row[] };
  const metrics = createMetrics();
  const context = {
    role: "room:worker",
    worker: "w",
    log: silentLog,
    metrics,
    health: createHealth(),
    faults: faults(),
    giveUp: () => {},
    version: "0",
    workerRoles: [],
    metricsText: async () => "",
  };
  const work = countWork();
  const worker = leasedWorker<{ id: string }, Row, "pending">({
    name: "rows",
    laneName: "rows.lane",
    context,
    tuning: { lanes: 2, batch: 2, lease: 60_000, poll: 60_000, sweep: 50 },
    table: {
      head: async () => [],
      oldest_lease: async () => {
        seen.looks++;
        return [{ bound: "-infinity", has_ended: state.expired.length > 0 ? true : null }];
      },
      reclaim: async () => {
        seen.reclaims++;
        return state.expired.splice(0).map(row => ({ ...row, locked_by: "dead" }));
      },
      overdue: async () => [],
      release_claims: async ({ token }) => {
        seen.lost.push(...token);
        return token.map(claim_token => ({ claim_token }));
      },
    },
    idOf: row => row.id,
    ids: "row_ids",
    claimWith: async () =>
      state.mayClaim
        ? async parameters => {
            seen.claims.push(parameters);
            return rows.splice(0, parameters.limit);
          }
        : undefined,
    isPaused: () => state.isPaused,
    async deliver(claim) {
      seen.delivered.push(claim);
      await holds;
    },
    reclaimed: {
      inc(count) {
        seen.reclaimed += count;
      },
    },
    depth: {
      gauge: { set: (labels, count) => void seen.depths.push({ ...labels, count }) },
      oldest: { set: () => {} },
      states: ["pending"],
      read: async () => ({ pending: rows.length, oldest_pending_seconds: 0 }),
    },
    work,
    liveness: { every: 60_000, looks: 10, answers: async () => {} },
  });
  running.push(worker);
  await worker.start();
  return { worker, seen, state, work };
}

test("rows are claimed in batches, each with a token of its own, and delivered until none is left", async () => {
  const { seen, work } = await working(rowsOf(5));
  await until("all are delivered", 2000, () => work.done() === 5);
  expect(seen.delivered.map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
  expect(seen.delivered.map(({ token }) => token)).toEqual(seen.claims.slice(0, 3).map(({ token }) => token));
  expect(new Set(seen.claims.map(({ token }) => token)).size).toBe(seen.claims.length);
  expect(seen.claims[0]).toMatchObject({ worker: "w", limit: 2, lease_seconds: 60, look: 8 });
});

test("while nothing may be claimed nothing is, and a wake-up tries again", async () => {
  const { worker, seen, state, work } = await working(rowsOf(1), { mayClaim: false });
  await until("it has looked at the depth", 2000, () => seen.depths.length > 0);
  expect(seen).toMatchObject({ claims: [], depths: [{ state: "pending", count: 1 }] });
  state.mayClaim = true;
  worker.wake();
  await until("it is delivered", 2000, () => work.done() === 1);
});

test("a paused worker ends what is under way and claims nothing more; its depth goes on; a wake-up after it goes on at once", async () => {
  const end = Promise.withResolvers<void>();
  const { worker, seen, state, work } = await working(rowsOf(9), { holds: end.promise });
  await until("both lanes deliver", 2000, () => seen.delivered.length === 2);
  state.isPaused = true;
  const claims = seen.claims.length;
  end.resolve();
  await until("what was under way has ended", 2000, () => work.done() === 4);
  worker.wake();
  await until("the depth is measured", 5000, () => seen.depths.some(depth => "count" in depth && depth.count === 5));
  expect(seen.claims).toHaveLength(claims);
  state.isPaused = false;
  worker.wake();
  await until("the rest is delivered", 2000, () => work.done() === 9);
});

test("rows whose lease ended are reclaimed, counted, and worked off at once", async () => {
  const rows: Row[] = [];
  const { seen, state, work } = await working(rows);
  rows.push(...rowsOf(1));
  state.expired.push(...rowsOf(1));
  await until("it is delivered", 2000, () => work.done() === 1);
  expect([seen.reclaimed, seen.reclaims]).toEqual([1, 1]);
});

test("an idle worker looks for ended leases, and sends no statement to reclaim any", async () => {
  const { seen } = await working([]);
  await until("it has looked three times", 2000, () => seen.looks >= 3);
  expect(seen.reclaims).toBe(0);
});

test("while there is nothing to deliver the first lane polls alone", async () => {
  const { seen } = await working([]);
  await until("it has polled, and looked at leases meanwhile", 2000, () => seen.claims.length === 1 && seen.looks >= 2);
  expect(seen.claims).toHaveLength(1);
});

test("a stop waits for the batch under way, and no batch follows", async () => {
  const end = Promise.withResolvers<void>();
  const { worker, seen } = await working(rowsOf(3), { holds: end.promise });
  await until("a batch is under way", 2000, () => seen.delivered.length > 0);
  let isStopped = false;
  const stopping = worker.stop().then(() => {
    isStopped = true;
  });
  const { length } = seen.delivered;
  await new Promise(resolve => setImmediate(resolve));
  expect(isStopped).toBe(false);
  end.resolve();
  await stopping;
  expect(seen.delivered).toHaveLength(length);
});

test("a lane that delivers a full batch wakes the next one at once, so that a backlog uses all lanes", async () => {
  const end = Promise.withResolvers<void>();
  const rows: Row[] = [];
  const { worker, seen } = await working(rows, { holds: end.promise });
  await until("the first lane has found nothing", 2000, () => seen.claims.length === 1);
  rows.push(...rowsOf(4));
  worker.wake();
  await until("both lanes deliver", 2000, () => seen.delivered.length === 2);
  end.resolve();
});

test("rows that come while a lane delivers a full batch are claimed by another lane", async () => {
  const end = Promise.withResolvers<void>();
  const rows = rowsOf(2);
  const { worker, seen } = await working(rows, { holds: end.promise });
  await until("one lane delivers and the other has found nothing", 2000, () => seen.delivered.length === 1 && seen.claims.length >= 2);
  rows.push(...rowsOf(1));
  worker.wake();
  await until("the other lane delivers", 2000, () => seen.delivered.length === 2);
  end.resolve();
});

test("rows that come while a lane delivers less than a batch wait for it, so that batches stay large", async () => {
  const end = Promise.withResolvers<void>();
  const rows = rowsOf(1);
  const { worker, seen } = await working(rows, { holds: end.promise });
  await until("one lane delivers", 2000, () => seen.delivered.length === 1);
  rows.push(...rowsOf(2));
  worker.wake();
  await new Promise(resolve => setImmediate(resolve));
  expect(seen.delivered).toHaveLength(1);
  end.resolve();
  await until("the rest is one batch", 2000, () => seen.delivered.length === 2);
  expect(seen.delivered[1]!.rows).toHaveLength(2);
});
