import type { KernelSettings } from "../kernel/config/settings.ts";
import { loop } from "../kernel/life/loop.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { OrdersSettings } from "./config.ts";
import type { OrdersSql } from "./sql.gen.ts";

const batch = 1000;

/** `orders:janitor`: deletes rows past their retention. The ledger outlives the outbox, and an accepted entry is never deleted. */
export function janitorRole(kernel: KernelSettings, settings: OrdersSettings, { worker, log, metrics, health }: RoleContext): Service {
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
  const { retention } = settings;
  const deleted = metrics.counter("cleanup_deleted_total", "Rows deleted past their retention.", ["table"]);
  const cleaning = (
    table: string,
    retention: number,
    clean: (old: { retention_seconds: number; limit: number }) => Promise<readonly unknown[]>,
  ) =>
    loop({
      name: `${table}.cleanup`,
      runOnce: async () => {
        const rows = await clean({ retention_seconds: retention / 1000, limit: batch });
        deleted.inc({ table }, rows.length);
        return rows.length;
      },
      full: batch,
      interval: settings.cleanup,
      log,
      metrics,
    });
  return sequence([
    store,
    cleaning("outbox_orders", retention.orders, orders.cleanup),
    cleaning("idempo_ledger", retention.ledger, ledger.cleanup),
    cleaning("flow_minutes", kernel.flow.retention, flow.cleanup),
    operationCleanup({ sql: operations, retention: kernel.bulk.retention, interval: settings.cleanup, deleted, log, metrics }),
  ]);
}
