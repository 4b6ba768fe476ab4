import type { KernelSettings } from "../kernel/config/settings.ts";
import { loop } from "../kernel/life/loop.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import type { NotificationSql } from "./sql.gen.ts";

const batch = 1000;

/** `notification:janitor`: deletes what is past its retention. */
export function janitorRole(
  kernel: KernelSettings,
  settings: NotificationSettings,
  { worker, log, metrics, health }: RoleContext,
): Service {
  const store = openStore<NotificationSql>({
    system: "notification",
    url: settings.appUrl,
    name: worker,
    connections: 2,
    deadline: kernel.database.deadline,
    log,
    health,
    metrics,
  });
  const sql = store.statements;
  const { retention } = settings;
  const deleted = metrics.counter("cleanup_deleted_total", "Rows deleted past their retention.", ["table"]);
  const cleaning = (name: string, table: string, clean: () => Promise<unknown[]>) =>
    loop({
      name,
      runOnce: async () => {
        const rows = await clean();
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
    cleaning("notifications.cleanup", "notifications", () =>
      sql.notifications.cleanup({ retention_seconds: retention.sent / 1000, limit: batch }),
    ),
    cleaning("processed_events.cleanup", "processed_events", () =>
      sql.cleanup_processed_events({ retention_seconds: retention.processedEvents / 1000, limit: batch }),
    ),
    cleaning("flow.cleanup", "flow_minutes", () => sql.flow.cleanup({ retention_seconds: kernel.flow.retention / 1000, limit: batch })),
    cleaning("processed_messages.cleanup", "processed_messages", () =>
      sql.processed_messages.cleanup({ keep_seconds: retention.processedMessagesKeep / 1000, limit: batch }),
    ),
    operationCleanup({ sql: sql.operations, retention: kernel.bulk.retention, interval: settings.cleanup, deleted, log, metrics }),
  ]);
}
