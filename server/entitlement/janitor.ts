import type { KernelSettings } from "../kernel/config/settings.ts";
import { cleanups } from "../kernel/life/cleanup.ts";
import { loop } from "../kernel/life/loop.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence } from "../kernel/life/service.ts";
import { erasureLoop, erasureStepWithin } from "../kernel/operator/erasures.ts";
import { operationCleanup } from "../kernel/operator/operation_cleanup.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import type { EntitlementSettings } from "./config.ts";
import type { EntitlementSql } from "./sql.gen.ts";

const monthsAhead = 3;
// Partitions are created three months ahead, so once an hour is enough.
const partitionsEvery = 3_600_000;

/** `entitlement:janitor`: deletes rows past their retention. As the owner of the tables it also creates and drops the monthly partitions of the audit. */
export function janitorRole(kernel: KernelSettings, settings: EntitlementSettings, ownerUrl: string, context: RoleContext): Service {
  const { worker, log, metrics, health, faults } = context;
  const shared = { system: "entitlement", connections: 2, deadline: kernel.database.deadline, log, health, metrics };
  const app = openStore<EntitlementSql>({ ...shared, url: settings.appUrl, name: worker });
  const owner = openStore<EntitlementSql>({ ...shared, url: ownerUrl, name: `${worker} owner`, connections: 1 });
  const { deleted, loopFor } = cleanups({ interval: settings.cleanup, log, metrics });
  const { idempotency, outbox, flow, operations } = app.statements;
  const { erasures } = app.pool({ purpose: "erasures", connections: 1, deadline: erasureStepWithin }).statements;
  const partitions = async () => {
    const { audit } = owner.statements;
    const made = await audit.make_partitions({ ahead: monthsAhead });
    const dropped = await audit.drop_partitions({ keep: settings.auditMonths });
    if (made.length + dropped.length > 0)
      log.info({ made: made.map(row => row.partition), dropped: dropped.map(row => row.partition) }, "audit.partitions");
    return 0;
  };

  return sequence([
    app,
    workerReporter({ context, every: kernel.reportEvery, report: app.statements.workers.report }),
    owner,
    loopFor("idempotency", "idempotency_keys", limit => idempotency.cleanup({ limit })),
    loopFor("outbox", "outbox_events", limit => outbox.cleanup({ retention_seconds: settings.outbox.retention / 1000, limit })),
    loopFor("flow", "flow_minutes", limit => flow.cleanup({ retention_seconds: kernel.flow.retention / 1000, limit })),
    operationCleanup({ sql: operations, retention: kernel.bulk.retention, interval: settings.cleanup, deleted, log, metrics }),
    erasureLoop({ erasures, interval: kernel.erasureEvery, faults, log, metrics }),
    loop({ name: "audit.partitions", runOnce: partitions, full: Number.POSITIVE_INFINITY, interval: partitionsEvery, log, metrics }),
  ]);
}
