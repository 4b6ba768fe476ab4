import type { KernelSettings } from "../kernel/config/settings.ts";
import { loop } from "../kernel/life/loop.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { EntitlementSettings } from "./config.ts";
import type { EntitlementSql } from "./sql.gen.ts";

const batch = 1000;
const monthsAhead = 3;
// Partitions are made a quarter ahead, so an hour more or less is nothing.
const partitionsEvery = 3_600_000;

/** `entitlement:janitor`: deletes what is past its retention, and keeps the audit's months in order (as the owner of the tables). */
export function janitorRole(
  kernel: KernelSettings,
  settings: EntitlementSettings,
  ownerUrl: string,
  { worker, log, metrics, health }: RoleContext,
): Service {
  const shared = { system: "entitlement", connections: 2, deadline: kernel.database.deadline, log, health, metrics };
  const app = openStore<EntitlementSql>({ ...shared, url: settings.appUrl, name: worker });
  const owner = openStore<EntitlementSql>({ ...shared, url: ownerUrl, name: `${worker} owner`, connections: 1 });
  const deleted = metrics.counter("cleanup_deleted_total", "Rows deleted past their retention.", ["table"]);
  const counted = (table: string, rows: unknown[]) => {
    deleted.inc({ table }, rows.length);
    return rows.length;
  };

  const cleanKeys = async () => counted("idempotency_keys", await app.statements.idempotency.cleanup({ limit: batch }));
  const cleanOutbox = async () =>
    counted("outbox_events", await app.statements.outbox.cleanup({ retention_seconds: settings.outbox.retention / 1000, limit: batch }));
  const cleanFlow = async () =>
    counted("flow_minutes", await app.statements.flow.cleanup({ retention_seconds: kernel.flow.retention / 1000, limit: batch }));
  const partitions = async () => {
    const { audit } = owner.statements;
    const made = await audit.make_partitions({ ahead: monthsAhead });
    const dropped = await audit.drop_partitions({ keep: settings.auditMonths });
    if (made.length + dropped.length > 0)
      log.info({ made: made.map(row => row.partition), dropped: dropped.map(row => row.partition) }, "audit.partitions");
    return 0;
  };

  const every = { log, metrics, full: batch };
  return sequence([
    app,
    owner,
    loop({ name: "idempotency.cleanup", runOnce: cleanKeys, interval: settings.cleanup, ...every }),
    loop({ name: "outbox.cleanup", runOnce: cleanOutbox, interval: settings.cleanup, ...every }),
    loop({ name: "flow.cleanup", runOnce: cleanFlow, interval: settings.cleanup, ...every }),
    operationCleanup({
      sql: app.statements.operations,
      retention: kernel.bulk.retention,
      interval: settings.cleanup,
      deleted,
      log,
      metrics,
    }),
    loop({ name: "audit.partitions", runOnce: partitions, interval: partitionsEvery, ...every }),
  ]);
}
