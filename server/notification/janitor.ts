import type { KernelSettings } from "../kernel/config/settings.ts";
import { cleanups } from "../kernel/life/cleanup.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** `notification:janitor`: deletes rows past their retention. */
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
  const { deleted, loopFor } = cleanups({ interval: settings.cleanup, log, metrics });
  return sequence([
    store,
    loopFor("notifications", "notifications", limit => sql.notifications.cleanup({ retention_seconds: retention.sent / 1000, limit })),
    loopFor("processed_events", "processed_events", limit =>
      sql.cleanup_processed_events({ retention_seconds: retention.processedEvents / 1000, limit }),
    ),
    loopFor("discarded_events", "discarded_events", limit =>
      sql.cleanup_discarded_events({ retention_seconds: retention.processedEvents / 1000, limit }),
    ),
    // As long as processed events: a match that matchmaking asks about late is still known to be announced.
    loopFor("announced_joins", "announced_joins", limit => {
      const longest = Math.max(settings.sources.matchmaking.keep, retention.processedEvents);
      return sql.cleanup_announced_joins({ retention_seconds: longest / 1000, limit });
    }),
    loopFor("flow", "flow_minutes", limit => sql.flow.cleanup({ retention_seconds: kernel.flow.retention / 1000, limit })),
    loopFor("processed_messages", "processed_messages", limit =>
      sql.processed_messages.cleanup({ keep_seconds: retention.processedMessagesKeep / 1000, limit }),
    ),
    operationCleanup({ sql: sql.operations, retention: kernel.bulk.retention, interval: settings.cleanup, deleted, log, metrics }),
  ]);
}
