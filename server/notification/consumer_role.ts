import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
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
import { deliverOnWrite } from "./delivery/deliver_on_write.ts";
import { inboxHints } from "./delivery/hints.ts";
import { announcedResponder } from "./intake/announced_responder.ts";
import { consumedResponder } from "./intake/consumed_responder.ts";
import { intakeCounters } from "./intake/consumer.ts";
import { sourcesOf } from "./intake/sources.ts";
import { subscribeSource } from "./intake/subscribe_source.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** `notification:consumer`: consumes events from all sources, delivers their notifications, and answers the relays which ones were consumed. */
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
  const pauses = rolePauses({ roles: [context.role, "notification:sender"], read: store.statements.pauses.list, context });
  const delivery = deliverOnWrite({
    worker,
    channel: channelsOf(log).get(settings.channel),
    isReady: () => settings.firstAttempt === "consumer" && !pauses.isPaused("notification:sender"),
    faults,
    wakeSender: sender.wake,
    hint: settings.channel === "stream" ? inboxHints(broker, settings.inboxSubject, metrics) : undefined,
    flow,
    log,
    metrics,
    tracer,
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
  const parts = { sql, channel: settings.channel, delivery, signatures, counters, faults, flow, log, metrics, tracer };
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
    parallel(intakes),
  ]);
}
