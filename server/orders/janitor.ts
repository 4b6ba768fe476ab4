import type { KernelSettings } from "../kernel/config/settings.ts";
import { cleanups } from "../kernel/life/cleanup.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { erasureLoop, erasureStepWithin } from "../kernel/operator/erasures.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { OrdersSettings } from "./config.ts";
import type { OrdersSql } from "./sql.gen.ts";

/** `orders:janitor`: deletes rows past their retention. The ledger outlives the outbox, and an accepted entry is never deleted. */
export function janitorRole(kernel: KernelSettings, settings: OrdersSettings, context: RoleContext): Service {
  const { worker, log, metrics, health, faults } = context;
  const store = openStore<OrdersSql>({
    system: "orders",
    url: settings.appUrl,
    name: worker,
    connections: 2,
    deadline: kernel.database.deadline,
    log,
    health,
    metrics,
  });
  const { ledger, orders, flow, operations } = store.statements;
  const { erasures } = store.pool({ purpose: "erasures", connections: 1, deadline: erasureStepWithin }).statements;
  const { retention } = settings;
  const { deleted, loopFor } = cleanups({ interval: settings.cleanup, log, metrics });
  return sequence([
    store,
    workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report }),
    loopFor("outbox_orders", "outbox_orders", limit => orders.cleanup({ retention_seconds: retention.orders / 1000, limit })),
    loopFor("idempo_ledger", "idempo_ledger", limit => ledger.cleanup({ retention_seconds: retention.ledger / 1000, limit })),
    loopFor("flow", "flow_minutes", limit => flow.cleanup({ retention_seconds: kernel.flow.retention / 1000, limit })),
    operationCleanup({ sql: operations, retention: kernel.bulk.retention, interval: settings.cleanup, deleted, log, metrics }),
    erasureLoop({ erasures, interval: kernel.erasureEvery, faults, log, metrics }),
  ]);
}
