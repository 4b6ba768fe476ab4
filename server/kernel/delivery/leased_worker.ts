import { loop } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import { parallel, type Service } from "../life/service.ts";
import { someIds } from "../telemetry/log.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import { type ClaimBatchOptions, claimBatch } from "./claim_batch.ts";
import { type DepthOptions, depthGauges } from "./depth_gauges.ts";
import { countClaimed, dueBound, type Head, isOfFew, looksPerRow } from "./due_bound.ts";
import { type LivenessOptions, liveness, type Work } from "./liveness.ts";
import { type LostClaimsOptions, lostClaims } from "./lost_claims.ts";

/** The statements of a table whose rows are claimed. Each table has its own SQL files. */
export interface LeasedTable<Id> {
  head(parameters: { from: string; look: number }): Promise<readonly Head[]>;
  oldest_lease(parameters: { from: string }): Promise<readonly OldestLease[]>;
  reclaim(parameters: { limit: number; from: string }): Promise<readonly (Id & { readonly locked_by: string | null })[]>;
  overdue(parameters: { overdue_seconds: number }): Promise<readonly unknown[]>;
  readonly release_claims: LostClaimsOptions["release"];
}

/** `has_ended`: whether a lease has ended; null if nothing is claimed. */
interface OldestLease extends Head {
  readonly has_ended: boolean | null;
}

/** Rows with the same `aggregate_key` are delivered in order. A table without such an order returns the id of the row. */
export interface LeasedWorkerOptions<Id, Row extends Id & { readonly aggregate_key: string }, State extends string>
  extends Pick<ClaimBatchOptions<Row>, "claimWith" | "isPaused" | "deliver"> {
  /** Begins the names of loops and log messages. */
  readonly name: string;
  /** The name of the lanes' loops, without the number. */
  readonly laneName: string;
  readonly context: RoleContext;
  readonly tuning: {
    /** Claims under way at once. */
    readonly lanes: number;
    readonly batch: number;
    readonly lease: number;
    readonly poll: number;
    readonly sweep: number;
  };
  readonly table: LeasedTable<Id>;
  readonly idOf: (row: Id) => string;
  /** The log field of the ids. */
  readonly ids: string;
  readonly reclaimed: { inc(count: number): void };
  readonly depth: DepthOptions<State>;
  /** Counts what the worker does, also what it does beside the lanes. */
  readonly work: Work;
  readonly liveness: Pick<LivenessOptions, "every" | "looks" | "answers">;
}

export interface LeasedWorker extends Service {
  /** There are rows that are due. A lane without a full batch claims them at once. */
  wake(): void;
}

const reclaimBatch = 500;
const reclaimEvery = 1000;
const depthEvery = 3000;
// After rows of a busy aggregate a lane pauses for so many times as long as it has worked. Without a pause the backlog of one aggregate would take all that
// the consumer and the machine can do, and new events of others would wait behind it. (Measured with 20,000 waiting events of one aggregate: 2,900 a second
// without a pause, but others took five times as long; about 1,100 a second and twice as long with it.)
const pauseShare = 1.7;
const longestPause = 50;
// The claim statements take at most this many rows of one aggregate. From here on there may be more although the batch was not full.
const runLimit = 16;
// A lane beside one that delivers usually finds nothing behind a busy aggregate. Without a limit it would read the whole backlog each time.
const placesBeside = 25;
const onInterval = Number.POSITIVE_INFINITY;

/**
 * Works off a table of rows by claims: lanes that claim and deliver, the bound of due times, reclaiming of ended leases, requeueing of lost claims,
 * depth gauges and liveness. The room brings the statements and the delivery.
 */
export function leasedWorker<Id, Row extends Id & { readonly aggregate_key: string }, State extends string>(
  options: LeasedWorkerOptions<Id, Row, State>,
): LeasedWorker {
  const { name, laneName, context, tuning, table, idOf, ids, reclaimed, work } = options;
  const { worker, log, metrics, faults } = context;
  const { batch, lease, sweep } = tuning;
  const bound = dueBound(async from => (await table.head({ from, look: looksPerRow * batch }))[0], sweep);
  let oldest: OldestLease | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const leases = dueBound(async from => {
    [oldest] = await table.oldest_lease({ from });
    return oldest;
  }, 10 * sweep);
  const lost = lostClaims({ name, lease, release: table.release_claims, released: () => wake(), log, metrics });
  // Lanes that deliver.
  const busy = new Set<number>();
  // Lanes that deliver a full batch. A lane with less claims the new rows when it has delivered, so that batches stay large.
  const full = new Set<number>();

  /** A full batch means that there is work for one lane more, at once: a delivery may take long. Behind a few busy aggregates there is none. */
  const deliverIn = (lane: number): typeof options.deliver =>
    async function deliver(claim, stopping) {
      busy.add(lane);
      if (claim.rows.length >= batch) {
        full.add(lane);
        if (!isOfFew(countClaimed(claim.rows), batch)) wake();
      }
      try {
        await options.deliver(claim, stopping);
      } finally {
        busy.delete(lane);
        full.delete(lane);
      }
    };

  /** How long a lane pauses after a claim with runs. */
  const pauses: number[] = [];

  const runIn = (lane: number) => {
    const places = lane > 0 ? placesBeside : undefined;
    const claimAndDeliver = claimBatch<Row>({ ...options, ...tuning, deliver: deliverIn(lane), worker, bound, lost, places });
    const runOnce = async (stopping: AbortSignal) => {
      await faults.pass();
      // While the lane before it has nothing to deliver, that lane polls for both.
      if (lane > 0 && !busy.has(lane - 1)) return 0;
      const since = performance.now();
      const { count, hasRuns } = await claimAndDeliver(stopping);
      pauses[lane] = hasRuns ? Math.min(longestPause, pauseShare * (performance.now() - since)) : 0;
      return count;
    };
    return work.counted(runOnce, count => count);
  };
  const lanes = Array.from({ length: tuning.lanes }, (_, lane) =>
    loop({
      name: `${laneName}.${lane}`,
      runOnce: runIn(lane),
      full: Number.POSITIVE_INFINITY,
      interval: count => (count < Math.min(batch, runLimit) ? tuning.poll : pauses[lane]!),
      log,
      metrics,
    }),
  );
  const wake = () => (lanes.find((_, lane) => !full.has(lane)) ?? lanes[0])?.wake();

  async function reclaim(): Promise<number> {
    // If nothing is claimed, no lease ends soon: each lasts for a while.
    if (oldest?.has_ended === null && busy.size === 0 && performance.now() - lookedAt < sweep) return 0;
    lookedAt = performance.now();
    await leases.advance();
    if (!oldest?.has_ended) return 0;
    const rows = await table.reclaim({ limit: reclaimBatch, from: leases.from() });
    if (rows.length === 0) return 0;
    reclaimed.inc(rows.length);
    const from = [...new Set(rows.map(row => row.locked_by))];
    const fields = { count: rows.length, from, [ids]: someIds(rows.map(idOf)) };
    repeatsOf(log).write("warn", fields, `${name}.reclaim`, { burst: rowBurst });
    wake();
    return rows.length;
  }

  const measure = depthGauges(options.depth, bound, leases);
  const alive = liveness({
    context,
    ...options.liveness,
    longestBatch: lease,
    work,
    isPaused: options.isPaused,
    isDue: async () => (await table.overdue({ overdue_seconds: options.liveness.every / 1000 })).length > 0,
  });
  const every = (what: string, interval: number, runOnce: () => Promise<number>, full = onInterval) =>
    loop({ name: `${name}.${what}`, runOnce, full, interval, log, metrics });
  const loops = [
    alive,
    every("reclaim", Math.min(reclaimEvery, sweep), reclaim, reclaimBatch),
    lost,
    every("depth", depthEvery, measure),
    ...lanes,
  ];
  return { ...parallel(loops), wake };
}
