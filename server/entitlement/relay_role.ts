import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { type Bound, dueBound, headEvery, looksPerRow, reclaimEvery } from "../kernel/delivery/due_bound.ts";
import { countWork, liveness } from "../kernel/delivery/liveness.ts";
import { lostClaims } from "../kernel/delivery/lost_claims.ts";
import { loop } from "../kernel/life/loop.ts";
import { type RoleContext, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence } from "../kernel/life/service.ts";
import { byOwnConnection } from "../kernel/nats/broker.ts";
import { storesProbeBy } from "../kernel/nats/store_probe.ts";
import { bulkLoop } from "../kernel/operator/bulk.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { openStore } from "../kernel/postgres/store.ts";
import { someIds } from "../kernel/telemetry/log.ts";
import type { EntitlementSettings } from "./config.ts";
import { publishPipeline } from "./outbox/publish_pipeline.ts";
import { reconciler } from "./outbox/reconciler.ts";
import { relay } from "./outbox/relay.ts";
import type { EntitlementSql, OutboxDepthRow } from "./sql.gen.ts";

const reclaimBatch = 500;
// claim.sql takes at most this many followers of one aggregate: from here on there may be more although the batch was not full.
const runLimit = 25;

/** `entitlement:relay`: everything between the outbox and the stream. */
export function relayRole(kernel: KernelSettings, settings: EntitlementSettings, context: RoleContext): Service {
  const { worker, log, metrics, health, faults } = context;
  const { outbox: tuning } = settings;
  const store = openStore<EntitlementSql>({
    system: "entitlement",
    url: settings.appUrl,
    name: worker,
    connections: tuning.lanes + 4,
    deadline: kernel.database.deadline,
    durable: false, // a claim or settlement lost with the server is made again, fenced by its token; the message id makes the second publish a duplicate
    log,
    health,
    metrics,
  });
  const { outbox, reconciliation } = store.statements;
  const flow = createFlow();
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const work = countWork();
  const pipeline = publishPipeline({ kernel, settings, context, outbox, flow, lease: tuning.lease, putBack: work.did });
  const { broker, guard, stream, looking, signatures, largestUnstored, mayPublish, deliver } = pipeline;
  const bound = dueBound(async from => (await outbox.head({ from, look: looksPerRow * tuning.batch }))[0], tuning.sweep);
  const leases = dueBound(async from => (await outbox.oldest_lease({ from }))[0], 10 * tuning.sweep);
  const lost = lostClaims({ name: "outbox", lease: tuning.lease, release: outbox.release_claims, released: () => wake(), log, metrics });
  const claimAndDeliver = relay({ ...tuning, outbox, stream: stream.name, mayPublish, deliver, bound, lost, worker });
  const runOnce = work.counted(
    async (stopping: AbortSignal) => {
      await faults.pass();
      return claimAndDeliver(stopping);
    },
    count => count,
  );

  const reclaimed = metrics.counter("outbox_reclaimed_total", "Events taken back from a worker whose lease ran out.");
  async function reclaim(): Promise<number> {
    await leases.advance();
    const rows = await outbox.reclaim({ limit: reclaimBatch, from: leases.from() });
    if (rows.length === 0) return 0;
    reclaimed.inc(rows.length);
    const from = [...new Set(rows.map(row => row.locked_by))];
    log.warn({ count: rows.length, from, event_ids: someIds(rows.map(row => row.event_id)) }, "outbox.reclaim");
    wake();
    return rows.length;
  }

  const every = { log, metrics };
  const lanes = Array.from({ length: tuning.lanes }, (_, lane) =>
    loop({
      name: `outbox.relay.${lane}`,
      runOnce: async stopping => {
        const count = await runOnce(stopping);
        if (count >= tuning.batch) lanes[lane + 1]?.wake();
        return count;
      },
      full: Math.min(tuning.batch, runLimit),
      interval: tuning.poll,
      ...every,
    }),
  );
  const wake = () => lanes[0]?.wake();
  const reconcile = reconciler({
    ...settings,
    outbox,
    broker,
    guard,
    stream,
    signatures,
    overdue: tuning.overdue,
    log,
    health,
    metrics,
    resent: wake,
    walked: ({ durationMs, lookedAt, ...walk }) =>
      reconciliation.record({ worker, duration_ms: Math.round(durationMs), looked_at: lookedAt, ...walk }),
  });
  const reconciling = loop({ name: "outbox.reconcile", runOnce: reconcile.runOnce, full: 500, interval: tuning.reconcile, ...every });
  /** Who asks for a walk may sit in another process. */
  async function checkReconcileRequest(): Promise<number> {
    if ((await reconciliation.find())[0]?.due) reconciling.wake();
    return 0;
  }
  const access = natsAccess(kernel.nats, settings.natsUrls, context.role);
  const probing = { stream: stream.name, subject: stream.subject, deadline: 3000, signatures };
  const alive = liveness({
    context,
    ...kernel.liveness,
    longestBatch: tuning.lease,
    work,
    isDue: async () => (await outbox.overdue({ overdue_seconds: kernel.liveness.every / 1000 })).length > 0,
    answers: () => byOwnConnection(access, `${worker} liveness`, nats => storesProbeBy(nats, probing, largestUnstored())),
  });
  const loops = [
    alive,
    loop({
      name: "outbox.head",
      runOnce: bound.advance,
      full: Number.POSITIVE_INFINITY,
      interval: Math.min(headEvery, tuning.sweep),
      ...every,
    }),
    loop({ name: "outbox.reclaim", runOnce: reclaim, full: reclaimBatch, interval: Math.min(reclaimEvery, tuning.sweep), ...every }),
    lost,
    looking,
    reconciling,
    loop({ name: "outbox.reconcile.asked", runOnce: checkReconcileRequest, full: Number.POSITIVE_INFINITY, interval: 1000, ...every }),
    loop({
      name: "outbox.depth",
      runOnce: depthGauges({ outbox, bound, leases, metrics }),
      full: Number.POSITIVE_INFINITY,
      interval: 2000,
      ...every,
    }),
    bulkLoop({ kind: "outbox", sql: store.statements, ...kernel.bulk, requeued: wake, ...every }),
    ...lanes,
  ];
  broker.onConnect(wake);
  return sequence([store, keeper, broker, subscribeRole(context, wake, reconciling.wake), parallel(loops)]);
}

interface DepthOptions {
  readonly outbox: EntitlementSql["outbox"];
  readonly bound: Bound;
  readonly leases: Bound;
  readonly metrics: RoleContext["metrics"];
}

function depthGauges({ outbox, bound, leases, metrics }: DepthOptions) {
  const depth = metrics.gauge("outbox_depth", "Events by state, counted up to 10,001.", ["state"]);
  const oldest = metrics.gauge("outbox_oldest_pending_seconds", "Age of the oldest event that is not published, since it was created.");
  let row: OutboxDepthRow | undefined;
  const unconfirmed = dueBound(async published_from => {
    [row] = await outbox.depth({ due_from: bound.from(), lease_from: leases.from(), published_from });
    return row && { bound: row.unconfirmed_from };
  }, 60_000);
  return async () => {
    await unconfirmed.advance();
    if (!row) return 0;
    for (const state of ["pending", "in_flight", "failed", "unconfirmed"] as const) depth.set({ state }, row[state]);
    oldest.set(row.oldest_pending_seconds);
    return 0;
  };
}
