import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { withinLease } from "../kernel/delivery/lease.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { bulkLoop, operationStarted } from "../kernel/operator/bulk.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import { channelsOf } from "./delivery/channels.ts";
import { inboxHints } from "./delivery/hints.ts";
import { sendClaim } from "./delivery/send_claim.ts";
import { sender } from "./delivery/sender.ts";
import { notificationRows } from "./operator/row_kind.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** `notification:sender`: sends the notifications that are due. */
export function senderRole(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const { worker, log, metrics, tracer, health, faults } = context;
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
  const flow = createFlow(metrics);
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const channels = channelsOf(log);
  const connect = () =>
    createBroker({ nats: natsAccess(kernel.nats, settings.natsUrls, context.role), name: worker, log, health, metrics });
  const broker = settings.channel === "stream" ? connect() : undefined;
  const delivered = broker && inboxHints(broker, settings.inboxSubject, metrics);
  const deliver = sendClaim({
    ...tuning,
    sendWithin: withinLease(tuning.sendWithin, tuning.lease),
    notifications,
    channels,
    faults,
    worker,
    ...(delivered ? { delivered } : {}),
    flow,
    log,
    metrics,
    tracer,
  });
  const { role } = context;
  const pauses = rolePauses({ roles: [role], read: store.statements.pauses.list, context });
  const isPaused = () => pauses.isPaused(role);
  const sending = sender({ context, tuning, notifications, deliver, isPaused, liveness: kernel.liveness });
  pauses.onChange(sending.wake);
  const bulk = bulkLoop({ kind: notificationRows.name, sql: store.statements, ...kernel.bulk, requeued: sending.wake, log, metrics });
  const reporting = workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report });
  return sequence([
    store,
    reporting,
    keeper,
    ...(broker ? [broker] : []),
    pauses,
    subscribeRole(context, sending.wake, { [operationStarted]: bulk.wake }),
    parallel([sending, bulk]),
  ]);
}
