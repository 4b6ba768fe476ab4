import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { claimOnWrite } from "../kernel/delivery/claim_on_write.ts";
import { withinLease } from "../kernel/delivery/lease.ts";
import { lostClaims } from "../kernel/delivery/lost_claims.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { createSignatures } from "../kernel/nats/signatures.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import { channelsOf } from "./delivery/channels.ts";
import { inboxHints } from "./delivery/hints.ts";
import { sendClaim } from "./delivery/send_claim.ts";
import { announcedResponder } from "./intake/announced_responder.ts";
import { consumedResponder } from "./intake/consumed_responder.ts";
import { intakeCounters } from "./intake/consumer.ts";
import { sourcesOf } from "./intake/sources.ts";
import { subscribeSource } from "./intake/subscribe_source.ts";
import type { NotificationSql, NotificationsClaimRow } from "./sql.gen.ts";

/** `notification:consumer`: consumes events from all sources, makes the first attempt to send each, and answers the relays which ones were consumed. */
export function consumerRole(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const { worker, log, metrics, tracer, health, faults } = context;
  const store = openStore<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    name: worker,
    connections: 4,
    deadline: kernel.database.deadline,
    log,
    health,
    metrics,
  });
  const flow = createFlow(metrics);
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const access = natsAccess(kernel.nats, settings.natsUrls, context.role);
  const broker = createBroker({ nats: access, name: worker, log, health, metrics });
  const sender = roleChannel("notification:sender");
  const { notifications } = store.statements;
  const sendWithin = withinLease(settings.sender.sendWithin, settings.sender.lease);
  const lease = Math.min(settings.firstLease, settings.sender.lease);
  const lost = lostClaims({ name: "notification", lease, release: notifications.release_claims, released: sender.wake, log, metrics });
  const deliver = sendClaim({
    notifications,
    channels: channelsOf(log),
    faults,
    worker,
    lease,
    sendWithin,
    maxAttempts: settings.sender.maxAttempts,
    ...(settings.channel === "stream" ? { delivered: inboxHints(broker, settings.inboxSubject, metrics) } : {}),
    flow,
    log,
    metrics,
    tracer,
  });
  const pauses = rolePauses({ roles: [context.role, "notification:sender"], read: store.statements.pauses.list, context });
  const attempts = claimOnWrite<NotificationsClaimRow>({
    worker,
    lease,
    lost,
    renew: async ({ token, rows }) =>
      (await notifications.renew({ token, notification_id: rows.map(row => row.notification_id), lease_seconds: lease / 1000 })).length > 0,
    atOnce: settings.firstAttempt === "consumer" ? 1 : 0,
    isReady: () => !pauses.isPaused("notification:sender"),
    stopWithin: kernel.shutdownWithin / 2,
    deliver,
    wakeOthers: sender.wake,
    idOf: row => row.event_id,
    log,
  });
  const signatures = createSignatures(kernel.signingKeys);
  const { entitlement, matchmaking } = settings.sources;
  const sql = store.statements;
  const answering = { broker, signatures, log };
  const responders = [
    consumedResponder({ ...answering, sql, subject: entitlement.consumedSubject, remembers: settings.retention.processedEvents }),
    announcedResponder({ ...answering, sql, subject: matchmaking.announcedSubject, keep: matchmaking.keep }),
  ];
  const counters = intakeCounters(metrics);
  const parts = { sql, channel: settings.channel, attempts, signatures, counters, faults, flow, log, metrics, tracer };
  const intakes = sourcesOf(settings).map(source =>
    subscribeSource({
      source,
      batch: settings.intake.batch,
      broker,
      access,
      context,
      parts,
      pauses,
      liveness: { ...kernel.liveness, answers: store.ask },
    }),
  );
  const channel = service({ start: async () => {}, stop: async () => sender.close() });
  return sequence([
    channel,
    store,
    workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report }),
    keeper,
    broker,
    ...responders,
    pauses,
    subscribeRole(context, () => {}),
    parallel([attempts, lost, ...intakes]),
  ]);
}
