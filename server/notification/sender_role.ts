import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { type Bound, dueBound, headEvery, looksPerRow, reclaimEvery } from "../kernel/delivery/due_bound.ts";
import { countWork, liveness } from "../kernel/delivery/liveness.ts";
import { lostClaims } from "../kernel/delivery/lost_claims.ts";
import { loop } from "../kernel/life/loop.ts";
import { type RoleContext, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { bulkLoop } from "../kernel/operator/bulk.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { openStore } from "../kernel/postgres/store.ts";
import { someIds } from "../kernel/telemetry/log.ts";
import type { NotificationSettings } from "./config.ts";
import { channelsOf } from "./delivery/channels.ts";
import { inboxHints } from "./delivery/hints.ts";
import { sendClaim } from "./delivery/send_claim.ts";
import { sender } from "./delivery/sender.ts";
import type { NotificationSql } from "./sql.gen.ts";

const reclaimBatch = 500;
// claim.sql takes at most this many followers of one aggregate: from here on there may be more although the batch was not full.
const runLimit = 25;

/** `notification:sender`: delivers what is in the inbox. */
export function senderRole(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const { worker, log, metrics, health, faults } = context;
  const { sender: tuning } = settings;
  const store = openStore<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    name: worker,
    connections: tuning.lanes + 3,
    deadline: kernel.database.deadline,
    durable: false, // a claim lost with the server is made again; settle.sql asks for durability itself
    log,
    health,
    metrics,
  });
  const { notifications } = store.statements;
  const flow = createFlow();
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const channels = channelsOf(log);
  const connect = () =>
    createBroker({ nats: natsAccess(kernel.nats, settings.natsUrls, context.role), name: worker, log, health, metrics });
  const broker = settings.channel === "stream" ? connect() : undefined;
  const delivered = broker && inboxHints(broker, settings.inboxSubject, metrics);
  const bound = dueBound(async from => (await notifications.head({ from, look: looksPerRow * tuning.batch }))[0], tuning.sweep);
  const leases = dueBound(async from => (await notifications.oldest_lease({ from }))[0], 10 * tuning.sweep);
  const lost = lostClaims({
    name: "notification",
    lease: tuning.lease,
    release: notifications.release_claims,
    released: () => wake(),
    log,
    metrics,
  });
  // A send that begins in the first half of a lease has ended, or was given up, before the lease ends.
  const sendWithin = Math.min(tuning.sendWithin, tuning.lease / 2);
  const deliver = sendClaim({
    ...tuning,
    sendWithin,
    notifications,
    channels,
    faults,
    worker,
    ...(delivered ? { delivered } : {}),
    flow,
    log,
    metrics,
  });
  const claimAndDeliver = sender({ ...tuning, notifications, deliver, bound, lost, worker });
  const work = countWork();
  const runOnce = work.counted(
    async (stopping: AbortSignal) => {
      await faults.pass();
      return claimAndDeliver(stopping);
    },
    count => count,
  );

  const reclaimed = metrics.counter("notifications_reclaimed_total", "Notifications taken back from a worker whose lease ran out.");
  async function reclaim(): Promise<number> {
    await leases.advance();
    const rows = await notifications.reclaim({ limit: reclaimBatch, from: leases.from() });
    if (rows.length === 0) return 0;
    reclaimed.inc(rows.length);
    const from = [...new Set(rows.map(row => row.locked_by))];
    log.warn({ count: rows.length, from, notification_ids: someIds(rows.map(row => row.notification_id)) }, "notification.reclaim");
    wake();
    return rows.length;
  }

  const every = { log, metrics };
  const lanes = Array.from({ length: tuning.lanes }, (_, lane) =>
    loop({
      name: `notification.sender.${lane}`,
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
  const alive = liveness({
    context,
    ...kernel.liveness,
    longestBatch: tuning.lease,
    work,
    isDue: async () => (await notifications.overdue({ overdue_seconds: kernel.liveness.every / 1000 })).length > 0,
    answers: async () => {}, // all that it needs is the database, which has just answered
  });
  const loops = [
    alive,
    loop({
      name: "notification.head",
      runOnce: bound.advance,
      full: Number.POSITIVE_INFINITY,
      interval: Math.min(headEvery, tuning.sweep),
      ...every,
    }),
    loop({
      name: "notification.reclaim",
      runOnce: reclaim,
      full: reclaimBatch,
      interval: Math.min(reclaimEvery, tuning.sweep),
      ...every,
    }),
    lost,
    loop({
      name: "notification.depth",
      runOnce: depthGauges({ notifications, bound, leases, metrics }),
      full: Number.POSITIVE_INFINITY,
      interval: 2000,
      ...every,
    }),
    bulkLoop({ kind: "notifications", sql: store.statements, ...kernel.bulk, requeued: wake, ...every }),
    ...lanes,
  ];
  return sequence([store, keeper, ...(broker ? [broker] : []), subscribeRole(context, wake), parallel(loops)]);
}

interface DepthOptions {
  readonly notifications: NotificationSql["notifications"];
  readonly bound: Bound;
  readonly leases: Bound;
  readonly metrics: RoleContext["metrics"];
}

function depthGauges({ notifications, bound, leases, metrics }: DepthOptions) {
  const depth = metrics.gauge("notifications_depth", "Notifications and dead letters by state, counted up to 10,001.", ["state"]);
  const oldest = metrics.gauge(
    "notifications_oldest_pending_seconds",
    "Age of the oldest notification that is not sent, since it was created.",
  );
  return async () => {
    const [row] = await notifications.depth({ due_from: bound.from(), lease_from: leases.from() });
    if (!row) return 0;
    for (const state of ["pending", "processing", "dead", "raw_dead"] as const) depth.set({ state }, row[state]);
    oldest.set(row.oldest_pending_seconds);
    return 0;
  };
}
