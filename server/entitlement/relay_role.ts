import type { KernelSettings } from "../kernel/config/settings.ts";
import { countWork } from "../kernel/delivery/liveness.ts";
import { loop } from "../kernel/life/loop.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence } from "../kernel/life/service.ts";
import { bulkLoop, operationStarted } from "../kernel/operator/bulk.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { EntitlementSettings } from "./config.ts";
import { outboxRows } from "./operator/row_kind.ts";
import { consumedAnswers } from "./outbox/consumed_answers.ts";
import { publishPipeline } from "./outbox/publish_pipeline.ts";
import { reconcileNow, reconciler } from "./outbox/reconciler.ts";
import { relay } from "./outbox/relay.ts";
import { verifier } from "./outbox/verifier.ts";
import type { EntitlementSql } from "./sql.gen.ts";

// How often it looks for a request to reconcile now. The API of the same process sends a message.
const askedEvery = 3000;

/** `entitlement:relay`: publishes the outbox to the stream, and reconciles it with what was consumed. */
export function relayRole(kernel: KernelSettings, settings: EntitlementSettings, context: RoleContext): Service {
  const { worker, log, metrics, health } = context;
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
  const { outbox, reconciliation, verification } = store.statements;
  const flow = createFlow(metrics);
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const work = countWork();
  const { role } = context;
  const pauses = rolePauses({ roles: [role], read: store.statements.pauses.list, context });
  const pipeline = publishPipeline({ kernel, settings, context, outbox, flow, lease: tuning.lease, requeued: work.did });
  const { broker, checks, stream, rechecking, signatures } = pipeline;
  const liveness = { ...kernel.liveness, answers: pipeline.storesByOwnConnection };
  const relaying = relay({ context, tuning, outbox, pipeline, work, isPaused: () => pauses.isPaused(role), liveness });
  pauses.onChange(relaying.wake);
  const notification = consumedAnswers({ broker, subject: settings.consumedSubject, signatures, log, health, metrics });
  const reconcile = reconciler({
    ...settings,
    outbox,
    broker,
    checks,
    stream,
    notification,
    overdue: tuning.overdue,
    log,
    metrics,
    resent: relaying.wake,
    walked: ({ durationMs, lookedAt, ...walk }) =>
      reconciliation.record({ worker, duration_ms: Math.round(durationMs), looked_at: lookedAt, ...walk }),
  });
  const reconciling = loop({ name: "outbox.reconcile", runOnce: reconcile.runOnce, full: 500, interval: tuning.reconcile, log, metrics });
  const verify = verifier({ verification, isConnected: broker.connected, notification, every: tuning.verify, log, metrics });
  const verifying = loop({ name: "outbox.verify", runOnce: verify.runOnce, full: 1, interval: tuning.verify, log, metrics });
  function walkNow(): void {
    reconcile.expectWalk();
    reconciling.wake();
  }
  /** The API that received the request may run in another process. */
  async function checkReconcileRequest(): Promise<number> {
    if ((await reconciliation.find())[0]?.due) walkNow();
    return 0;
  }
  const bulk = bulkLoop({ kind: outboxRows.name, sql: store.statements, ...kernel.bulk, requeued: relaying.wake, log, metrics });
  const loops = [
    relaying,
    rechecking,
    reconciling,
    verifying,
    loop({
      name: "outbox.reconcile.asked",
      runOnce: checkReconcileRequest,
      full: Number.POSITIVE_INFINITY,
      interval: askedEvery,
      log,
      metrics,
    }),
    bulk,
  ];
  broker.onConnect(relaying.wake);
  const reporting = workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report });
  return sequence([
    store,
    reporting,
    keeper,
    broker,
    pauses,
    subscribeRole(context, relaying.wake, { [reconcileNow]: walkNow, [operationStarted]: bulk.wake }),
    parallel(loops),
  ]);
}
