import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { aboutAnswers, apiRole } from "../kernel/http/api_role.ts";
import { type RoleContext, roleChannel } from "../kernel/life/role.ts";
import { type Service, sequence, service } from "../kernel/life/service.ts";
import { actionRoutes } from "../kernel/operator/action_routes.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { operatorHealthRoutes } from "../kernel/operator/health_routes.ts";
import { actorPaths } from "../kernel/operator/operation_standing.ts";
import { type OrdersSettings, ordersSettings } from "./config.ts";
import { maskFor } from "./masking.ts";
import { journeyRoutes } from "./operator/journey_routes.ts";
import { orderRoutes } from "./operator/order_routes.ts";
import type { OrdersSql } from "./sql.gen.ts";

/** `orders:api`. */
export function ordersApi(kernel: KernelSettings, settings: OrdersSettings, context: RoleContext): Service {
  const { log, health } = context;
  const sender = roleChannel("orders:sender");
  const api = apiRole<OrdersSql>({
    system: "orders",
    url: settings.appUrl,
    port: settings.port,
    about: { title: "Kenri orders", description: `Accepts each order once and sends it to the broker. ${aboutAnswers}` },
    kernel,
    context,
    unlogged: actorPaths,
    routes: ({ store, operatorSql, operators, askDatabase, requires, cursors, share }) => [
      orderRoutes({
        sql: operatorSql,
        standing: store.statements.operations,
        requires,
        cursors,
        share,
        maskFor,
        operators,
        ...kernel.bulk,
        requeued: sender.wake,
        log,
      }),
      journeyRoutes(operatorSql, requires),
      operatorHealthRoutes({ health, requires, log, askDatabase, broker: false }),
      actionRoutes(operatorSql, requires, cursors, share, maskFor),
      configRoutes(requires, { kernel: kernelSettings, orders: ordersSettings }),
    ],
  });
  const closing = service({ start: async () => {}, stop: async () => sender.close() });
  return sequence([closing, api]);
}
