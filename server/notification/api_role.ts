import { natsAccess } from "../kernel/config/nats_access.ts";
import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { aboutAnswers, apiRole } from "../kernel/http/api_role.ts";
import { createHealth } from "../kernel/life/health.ts";
import { type RoleContext, roleChannel } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { createSignatures } from "../kernel/nats/signatures.ts";
import { consumerLag } from "../kernel/nats/streams.ts";
import { actionRoutes } from "../kernel/operator/action_routes.ts";
import { apiPauses } from "../kernel/operator/api_pauses.ts";
import { operationStarted } from "../kernel/operator/bulk.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { erasureRoutes, startErasure } from "../kernel/operator/erasure_routes.ts";
import { faultRoutes } from "../kernel/operator/fault_routes.ts";
import { flowRoutes } from "../kernel/operator/flow_routes.ts";
import { operatorHealthRoutes, workersOf } from "../kernel/operator/health_routes.ts";
import { actorPaths } from "../kernel/operator/operation_standing.ts";
import { pauseRoutes } from "../kernel/operator/pause_routes.ts";
import { type NotificationSettings, notificationSettings } from "./config.ts";
import { feedRoutes } from "./feed/feed_routes.ts";
import { inboxRoutes } from "./feed/inbox_routes.ts";
import { flowSteps } from "./flow_steps.ts";
import { sourcesOf } from "./intake/sources.ts";
import { maskFor } from "./masking.ts";
import { consistencyRoutes } from "./operator/consistency_routes.ts";
import { deliveryRoutes } from "./operator/delivery_routes.ts";
import { journeyRoutes } from "./operator/journey_routes.ts";
import { pausable } from "./operator/pausable.ts";
import { rawRoutes } from "./operator/raw_routes.ts";
import { userRoutes } from "./operator/user_routes.ts";
import type { NotificationSql } from "./sql.gen.ts";

const lagWithin = 1000;

/** `notification:api`. */
export function notificationApi(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const sender = roleChannel("notification:sender");
  const consumer = roleChannel("notification:consumer");
  // Only to ask for the lag of the consumers. The API works without it, so it has a health of its own that makes nothing degraded.
  const { log, metrics, health, worker } = context;
  const broker = createBroker({
    nats: natsAccess(kernel.nats, settings.natsUrls, context.role),
    name: worker,
    log,
    health: createHealth(),
    metrics,
  });
  const sources = sourcesOf(settings);
  const streams = sources.map(({ name: source, consumer: { stream, durable } }) => ({
    source,
    stream,
    lag: async () => consumerLag(broker.connection(), stream, durable, lagWithin),
  }));
  const pauses = apiPauses({ url: settings.appUrl, pausable, context });
  const inProduction = kernel.environment === "production";
  const api = apiRole<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    port: settings.port,
    about: {
      title: "Kenri notification",
      description: `Consumes each event once and delivers it: inbox, dead letters, requeue. ${aboutAnswers}`,
    },
    kernel,
    context,
    unlogged: actorPaths,
    routes: ({ store, operatorSql, operators, askDatabase, requires, cursors, share }) => [
      ...(inProduction && !settings.debugInbox ? [] : [inboxRoutes(store.statements, requires, cursors)]),
      ...(inProduction ? [] : [faultRoutes(requires, [sender, consumer])]),
      feedRoutes(store.statements, requires, cursors),
      deliveryRoutes({
        sql: operatorSql,
        standing: store.statements.operations,
        requires,
        cursors,
        share,
        maskFor,
        operators,
        ...kernel.bulk,
        requeued: sender.wake,
        operationStarted: () => sender.send(operationStarted),
        log,
      }),
      journeyRoutes(operatorSql, requires),
      userRoutes(operatorSql, requires, cursors),
      consistencyRoutes(operatorSql, requires, settings, share),
      flowRoutes(operatorSql, requires, flowSteps),
      pauseRoutes({ pausable, pauses, store: operatorSql.pauses, requires }),
      operatorHealthRoutes({
        health,
        requires,
        log,
        askDatabase,
        broker: true,
        streams,
        workers: workersOf(context, kernel, operatorSql.workers.list),
      }),
      erasureRoutes(requires, startErasure(operatorSql.erasures)),
      actionRoutes(operatorSql, requires, cursors, share, maskFor),
      configRoutes(requires, { kernel: kernelSettings, notification: notificationSettings }),
      rawRoutes({
        sql: operatorSql,
        requires,
        cursors,
        share,
        sources,
        channel: settings.channel,
        signatures: createSignatures(kernel.signingKeys),
        requeued: sender.wake,
      }),
    ],
  });
  const closing = service({
    start: async () => {},
    stop: async () => {
      sender.close();
      consumer.close();
    },
  });
  return sequence([closing, broker, parallel([pauses, api])]);
}
