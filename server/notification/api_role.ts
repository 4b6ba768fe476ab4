import { actionRoutes } from "../kernel/action_routes.ts";
import { aboutAnswers, apiRole } from "../kernel/api_role.ts";
import { createBroker } from "../kernel/broker.ts";
import { configRoutes } from "../kernel/config_routes.ts";
import { faultRoutes } from "../kernel/fault_routes.ts";
import { flowRoutes } from "../kernel/flow_routes.ts";
import { createHealth } from "../kernel/health.ts";
import { operatorHealthRoutes } from "../kernel/health_routes.ts";
import { natsAccess } from "../kernel/nats_access.ts";
import { type RoleContext, tell } from "../kernel/role.ts";
import { group, type Service, service } from "../kernel/service.ts";
import { type KernelSettings, kernelSettings } from "../kernel/settings.ts";
import { createSignatures } from "../kernel/signatures.ts";
import { consumerLag } from "../kernel/streams.ts";
import { notificationBulkRoutes } from "./bulk_routes.ts";
import { type NotificationSettings, notificationSettings } from "./config.ts";
import { consistencyRoutes } from "./consistency_routes.ts";
import { deliveryRoutes } from "./delivery_routes.ts";
import { feedRoutes } from "./feed_routes.ts";
import { flowSteps } from "./flow_steps.ts";
import { inboxRoutes } from "./inbox_routes.ts";
import { journeyRoutes } from "./journey_routes.ts";
import { operatorRoutes } from "./operator_routes.ts";
import { rawRoutes } from "./raw_routes.ts";
import type { NotificationSql } from "./sql.gen.ts";
import { userRoutes } from "./user_routes.ts";

const lagWithin = 1000;

/** `notification:api`. */
export function notificationApi(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const sender = tell("notification:sender");
  const consumer = tell("notification:consumer");
  // Only to ask how far the consumer is; without it the API works as well, so it does not make it degraded.
  const { log, metrics, health, worker } = context;
  const broker = createBroker({
    nats: natsAccess(kernel.nats, settings.natsUrls, context.role),
    name: worker,
    log,
    health: createHealth(),
    metrics,
  });
  const lag = async () => consumerLag(broker.connection(), settings.stream, settings.consumer, lagWithin);
  const inProduction = kernel.environment === "production";
  const api = apiRole<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    port: settings.port,
    about: {
      title: "Kenri notification",
      description: `Takes events in once and delivers them: inbox, dead letters, requeue. ${aboutAnswers}`,
    },
    kernel,
    context,
    routes: ({ store, operatorSql, operators, askDatabase, requires, cursors, share }) => [
      ...(inProduction && !kernel.debugInbox ? [] : [inboxRoutes(store.statements, requires, cursors)]),
      ...(inProduction ? [] : [faultRoutes(requires, [sender, consumer])]),
      feedRoutes(store.statements, requires, cursors),
      deliveryRoutes(operatorSql, requires, cursors, share),
      journeyRoutes(operatorSql, requires),
      userRoutes(operatorSql, requires, cursors),
      consistencyRoutes(operatorSql, requires, settings, share),
      flowRoutes(operatorSql, requires, flowSteps),
      operatorHealthRoutes({ health, requires, log, askDatabase, consumer: lag }),
      actionRoutes(operatorSql, requires, cursors, share),
      configRoutes(requires, { kernel: kernelSettings, notification: notificationSettings }),
      operatorRoutes({ sql: operatorSql, requires, cursors, share, requeued: sender.wake }),
      rawRoutes({
        sql: operatorSql,
        requires,
        cursors,
        share,
        channel: settings.channel,
        signatures: createSignatures(kernel.signingKeys),
        requeued: sender.wake,
      }),
      notificationBulkRoutes({
        sql: operatorSql,
        standing: store.statements.operations,
        requires,
        cursors,
        share,
        operators,
        ...kernel.bulk,
        log,
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
  return group([closing, broker, api]);
}
