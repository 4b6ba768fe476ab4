import { actionRoutes } from "../kernel/action_routes.ts";
import { apiRole } from "../kernel/api_role.ts";
import { faultRoutes } from "../kernel/fault_routes.ts";
import { type RoleContext, tell } from "../kernel/role.ts";
import { group, type Service, service } from "../kernel/service.ts";
import type { KernelSettings } from "../kernel/settings.ts";
import { notificationBulkRoutes } from "./bulk_routes.ts";
import type { NotificationSettings } from "./config.ts";
import { deliveryRoutes } from "./delivery_routes.ts";
import { feedRoutes } from "./feed_routes.ts";
import { inboxRoutes } from "./inbox_routes.ts";
import { journeyRoutes } from "./journey_routes.ts";
import { operatorRoutes } from "./operator_routes.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** `notification:api`. */
export function notificationApi(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const sender = tell("notification:sender");
  const consumer = tell("notification:consumer");
  const inProduction = kernel.environment === "production";
  const api = apiRole<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    port: settings.port,
    about: { title: "Kenri notification", description: "Takes events in once and delivers them: inbox, dead letters, requeue." },
    kernel,
    context,
    routes: ({ store, requires, cursors }) => [
      ...(inProduction && !kernel.debugInbox ? [] : [inboxRoutes(store.statements, requires, cursors)]),
      ...(inProduction ? [] : [faultRoutes(requires, [sender, consumer])]),
      feedRoutes(store.statements, requires, cursors),
      deliveryRoutes(store.statements, requires, cursors),
      journeyRoutes(store.statements, requires),
      actionRoutes(store.statements, requires, cursors),
      operatorRoutes({ sql: store.statements, requires, cursors, channel: settings.channel, requeued: sender.wake }),
      notificationBulkRoutes({ sql: store.statements, requires, cursors, cap: kernel.bulk.cap }),
    ],
  });
  const closing = service({
    start: async () => {},
    stop: async () => {
      sender.close();
      consumer.close();
    },
  });
  return group([closing, api]);
}
