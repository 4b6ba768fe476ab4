import { natsAccess } from "../kernel/config/nats_access.ts";
import type { KernelSettings } from "../kernel/config/settings.ts";
import { cleanups } from "../kernel/life/cleanup.ts";
import { createHealth } from "../kernel/life/health.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { erasureLoop, erasureStepWithin } from "../kernel/operator/erasures.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { NotificationSettings } from "./config.ts";
import { eraseMessages } from "./intake/erase_messages.ts";
import { sourcesOf } from "./intake/sources.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** `notification:janitor`: deletes rows past their retention, and erases users. */
export function janitorRole(kernel: KernelSettings, settings: NotificationSettings, context: RoleContext): Service {
  const { role, worker, log, metrics, health, faults } = context;
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
  // Only erasures need it, so it has a health of its own that makes nothing degraded.
  const broker = createBroker({
    nats: natsAccess(kernel.nats, settings.natsUrls, role),
    name: worker,
    log,
    health: createHealth(),
    metrics,
  });
  const { erasures } = store.pool({ purpose: "erasures", connections: 1, deadline: erasureStepWithin }).statements;
  const prepare = eraseMessages({ broker, sources: sourcesOf(settings), note: erasures.note });
  const { retention } = settings;
  const { deleted, loopFor } = cleanups({ interval: settings.cleanup, log, metrics });
  return sequence([
    store,
    workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report }),
    broker,
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
    erasureLoop({ erasures, prepare, interval: kernel.erasureEvery, faults, log, metrics }),
  ]);
}
