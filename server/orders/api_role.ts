import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { aboutAnswers, apiRole } from "../kernel/http/api_role.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { actionRoutes } from "../kernel/operator/action_routes.ts";
import { apiPauses } from "../kernel/operator/api_pauses.ts";
import { operationStarted } from "../kernel/operator/bulk.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { erasureRoutes, startErasure } from "../kernel/operator/erasure_routes.ts";
import { flowRoutes } from "../kernel/operator/flow_routes.ts";
import { operatorHealthRoutes, workersOf } from "../kernel/operator/health_routes.ts";
import { actorPaths } from "../kernel/operator/operation_standing.ts";
import { pauseRoutes } from "../kernel/operator/pause_routes.ts";
import { connect } from "../kernel/postgres/database.ts";
import { databaseOutage } from "../kernel/postgres/database_outage.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { adapterOf } from "./broker/adapters.ts";
import { type OrdersSettings, ordersSettings } from "./config.ts";
import { settledStep } from "./flow_steps.ts";
import { acceptOrders } from "./intake/accept.ts";
import { cancelOrders } from "./intake/cancel.ts";
import { intakePlaces } from "./intake/places.ts";
import { placingRoutes } from "./intake/placing_routes.ts";
import { readRoutes } from "./intake/read_routes.ts";
import { orderWaits } from "./intake/waits.ts";
import { maskFor } from "./masking.ts";
import { consistencyRoutes } from "./operator/consistency_routes.ts";
import { countSettled } from "./operator/count_settled.ts";
import { journeyRoutes } from "./operator/journey_routes.ts";
import { orderRoutes } from "./operator/order_routes.ts";
import { pausable } from "./operator/pausable.ts";
import { resolutionRoutes } from "./operator/resolution_routes.ts";
import { settledCounters } from "./outbox_metrics.ts";
import type { OrdersSql } from "./sql.gen.ts";

/** `orders:api`. New orders have their own connections, so that reads and orders never wait for each other. */
export function ordersApi(kernel: KernelSettings, settings: OrdersSettings, context: RoleContext): Service {
  const { log, health, metrics, tracer, worker } = context;
  const { connections, deadline } = kernel.database;
  const { adapter } = settings.broker;
  // The other half is for the statements around the question.
  const askWithin = Math.min(settings.broker.askWithin, kernel.operators.deadline / 2);
  const pool = connect({ url: settings.appUrl, name: `${worker} intake`, max: connections, statementTimeout: deadline });
  const { ledger } = bindStatements<OrdersSql>(pool, readStatements(["orders"]), metrics, deadline, databaseOutage(settings.appUrl, log));
  const sender = roleChannel("orders:sender");
  const waits = orderWaits({ find: ledger.find, most: settings.waits, log, metrics });
  const inPlace = intakePlaces({ atOnce: connections, wait: deadline });
  const accept = acceptOrders({ ledger, inPlace, adapter, accepted: sender.wake, log, metrics, tracer });
  const counters = settledCounters(metrics);
  const cancelled = () => {
    counters.aborted.inc({ code: "CANCELLED" });
    waits.wake();
  };
  const cancel = cancelOrders({ ledger, inPlace, adapter, cancelled, log });
  const pauses = apiPauses({ url: settings.appUrl, pausable, context });
  const api = apiRole<OrdersSql>({
    system: "orders",
    url: settings.appUrl,
    port: settings.port,
    about: { title: "Kenri orders", description: `Accepts each order once and sends it to the broker. ${aboutAnswers}` },
    kernel,
    context,
    unlogged: actorPaths,
    routes: ({ store, operatorSql, operators, askDatabase, requires, cursors, share, beginWait }) => [
      placingRoutes({ accept, cancel, requires }),
      readRoutes({ ledger: store.statements.ledger, waits, beginWait, requires, cursors }),
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
        operationStarted: () => sender.send(operationStarted),
        log,
      }),
      journeyRoutes(operatorSql, requires),
      pauseRoutes({ pausable, pauses, store: operatorSql.pauses, requires }),
      flowRoutes(operatorSql, requires, [settledStep]),
      operatorHealthRoutes({
        health,
        requires,
        log,
        askDatabase,
        broker: false,
        breakers: ["broker"],
        workers: workersOf(context, kernel, operatorSql.workers.list),
      }),
      resolutionRoutes({
        sql: { ...operatorSql, orders: { ...operatorSql.orders, resolve: countSettled(operatorSql.orders.resolve, counters) } },
        adapter: adapterOf({ ...settings.broker, askWithin }),
        requires,
        cursors,
        share,
        requeued: sender.wake,
      }),
      consistencyRoutes(operatorSql, requires, share),
      erasureRoutes(requires, startErasure(operatorSql.erasures)),
      actionRoutes(operatorSql, requires, cursors, share, maskFor),
      configRoutes(requires, { kernel: kernelSettings, orders: ordersSettings }),
    ],
  });
  const channel = service({ start: async () => {}, stop: async () => sender.close() });
  const closing = service({ start: async () => {}, stop: () => pool.end({ timeout: 1 }) });
  // A sender in this process wakes the waits when it has settled an order. A stop answers them at once, before the last requests are awaited.
  return sequence([channel, closing, parallel([subscribeRole(context, waits.wake), waits.service, pauses, api])]);
}
