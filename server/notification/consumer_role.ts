import type { NatsConnection } from "@nats-io/nats-core";
import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { claimOnWrite } from "../kernel/delivery/claim_on_write.ts";
import { countWork, liveness } from "../kernel/delivery/liveness.ts";
import { lostClaims } from "../kernel/delivery/lost_claims.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { byOwnConnection, createBroker } from "../kernel/nats/broker.ts";
import { createSignatures } from "../kernel/nats/signatures.ts";
import { consumerBacklog } from "../kernel/nats/streams.ts";
import { type Received, subscription } from "../kernel/nats/subscription.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import { channelsOf } from "./delivery/channels.ts";
import { inboxHints } from "./delivery/hints.ts";
import { sendClaim } from "./delivery/send_claim.ts";
import { consumer } from "./intake/consumer.ts";
import { createPatience } from "./intake/patience.ts";
import { takenInResponder } from "./intake/taken_in.ts";
import type { NotificationSql, NotificationsClaimRow } from "./sql.gen.ts";

/** `notification:consumer`: takes events from the stream into the inbox, tries to deliver them once, and answers the outbox which ones it holds. */
export function consumerRole(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const { worker, log, metrics, health, faults } = context;
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
  const flow = createFlow();
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const access = natsAccess(kernel.nats, settings.natsUrls, context.role);
  const broker = createBroker({ nats: access, name: worker, log, health, metrics });
  const sender = roleChannel("notification:sender");
  const { notifications } = store.statements;
  const sendWithin = Math.min(settings.sender.sendWithin, settings.sender.lease / 2);
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
  });
  const attempts = claimOnWrite<NotificationsClaimRow>({
    worker,
    lease,
    lost,
    renew: async ({ token, rows }) =>
      (await notifications.renew({ token, notification_id: rows.map(row => row.notification_id), lease_seconds: lease / 1000 })).length > 0,
    atOnce: settings.firstAttempt === "consumer" ? 1 : 0,
    stopWithin: kernel.shutdownWithin / 2,
    deliver,
    wakeOthers: sender.wake,
    idOf: row => row.event_id,
    log,
  });
  const signatures = createSignatures(kernel.signingKeys);
  const patience = createPatience(settings.intake.patience);
  broker.onConnect(patience.startAnew);
  const handle = consumer({
    sql: store.statements,
    stream: settings.stream,
    channel: settings.channel,
    attempts,
    patience,
    signatures,
    faults,
    flow,
    log,
    metrics,
  });
  const work = countWork();
  let acknowledged = 0;
  /** Something waits, and nobody has acknowledged anything since the last look. */
  async function isDue(): Promise<boolean> {
    const ask = (nats: NatsConnection) => consumerBacklog(nats, settings.stream, settings.consumer);
    const apart = () => byOwnConnection(access, `${worker} liveness`, ask);
    const backlog = await (broker.connected() ? ask(broker.connection()).catch(apart) : apart());
    const before = acknowledged;
    acknowledged = backlog?.acknowledged ?? 0;
    return backlog !== undefined && backlog.open > 0 && acknowledged === before;
  }
  const alive = liveness({ context, ...kernel.liveness, longestBatch: settings.intake.ackWait, work, isDue, answers: store.ask });
  const responder = takenInResponder({ broker, sql: store.statements, subject: settings.takenInSubject, signatures, log });
  const intake = subscription({
    broker,
    consumer: {
      stream: settings.stream,
      durable: settings.consumer,
      ackWait: settings.intake.ackWait,
      maxAckPending: settings.intake.maxAckPending,
    },
    batch: settings.intake.batch,
    handle: work.counted(
      async (batch: readonly Received[]) => {
        await faults.pass();
        return handle(batch);
      },
      verdicts => verdicts.length,
    ),
    log,
    metrics,
  });
  const telling = service({ start: async () => {}, stop: async () => sender.close() });
  return sequence([telling, store, keeper, broker, responder, subscribeRole(context, () => {}), parallel([attempts, lost, intake, alive])]);
}
