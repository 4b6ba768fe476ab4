import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { aboutAnswers, apiRole } from "../kernel/http/api_role.ts";
import { type RoleContext, roleChannel } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { createSignatures } from "../kernel/nats/signatures.ts";
import { actionRoutes } from "../kernel/operator/action_routes.ts";
import { apiPauses } from "../kernel/operator/api_pauses.ts";
import { operationStarted } from "../kernel/operator/bulk.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { erasureRoutes, startErasure } from "../kernel/operator/erasure_routes.ts";
import { faultRoutes } from "../kernel/operator/fault_routes.ts";
import { flowRoutes } from "../kernel/operator/flow_routes.ts";
import { operatorHealthRoutes, workersOf } from "../kernel/operator/health_routes.ts";
import { actorPaths } from "../kernel/operator/operation_standing.ts";
import { pauseRoutes } from "../kernel/operator/pause_routes.ts";
import { connect } from "../kernel/postgres/database.ts";
import { databaseOutage } from "../kernel/postgres/database_outage.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { apiStatistics } from "./changes/api_statistics.ts";
import { changeRoutes } from "./changes/change_routes.ts";
import { changes } from "./changes/changes.ts";
import { readRoutes } from "./changes/read_routes.ts";
import { writeChanges } from "./changes/write_changes.ts";
import { type EntitlementSettings, entitlementSettings } from "./config.ts";
import { maskFor } from "./masking.ts";
import { consistencyRoutes } from "./operator/consistency_routes.ts";
import { idempotencyRoutes } from "./operator/idempotency_routes.ts";
import { journeyRoutes } from "./operator/journey_routes.ts";
import { messageRoutes } from "./operator/message_routes.ts";
import { outboxRoutes } from "./operator/outbox_routes.ts";
import { pausable } from "./operator/pausable.ts";
import { userRoutes } from "./operator/user_routes.ts";
import { leaveToRelay, publishOnWrite } from "./outbox/publish_on_write.ts";
import { reconcileNow } from "./outbox/reconciler.ts";
import type { EntitlementSql } from "./sql.gen.ts";

/** `entitlement:api`. Grants and revokes have their own connections, so that reads and changes never wait for each other. */
export function entitlementApi(kernel: KernelSettings, settings: EntitlementSettings, context: RoleContext): Service {
  const { metrics, tracer, worker, log, health } = context;
  const lanes = connect({
    url: settings.appUrl,
    name: `${worker} change`,
    max: settings.changes.lanes,
    statementTimeout: kernel.database.deadline,
  });
  const { change } = bindStatements<EntitlementSql>(
    lanes,
    readStatements(["entitlement"]),
    metrics,
    kernel.database.deadline,
    databaseOutage(settings.appUrl, log),
  );
  const { flow, replays, statistics } = apiStatistics({ url: settings.appUrl, worker, every: kernel.flow.every, log, metrics });
  const relay = roleChannel("entitlement:relay");
  const pauses = apiPauses({ url: settings.appUrl, pausable, context });
  const isPaused = () => pauses.isPaused("entitlement:relay");
  const publishing =
    settings.outbox.firstAttempt === "api"
      ? publishOnWrite({ kernel, settings, context, flow, wakeRelay: relay.wake, isPaused })
      : leaveToRelay(relay.wake);
  const batcher = changes({
    ...settings.changes,
    run: writeChanges(change, publishing, tracer),
    ttlSeconds: settings.idempotencyTtl / 1000,
    committed: events => flow.count("changed", events),
    replayed: replays.note,
    metrics,
  });
  const api = apiRole<EntitlementSql>({
    system: "entitlement",
    url: settings.appUrl,
    port: settings.port,
    about: {
      title: "Kenri entitlement",
      description: `The source of truth of entitlements: grant, revoke, read, history. ${aboutAnswers}`,
    },
    kernel,
    context,
    unlogged: actorPaths,
    routes: ({ store, operatorSql, operators, askDatabase, requires, cursors, share }) => [
      changeRoutes(batcher, store.statements, requires, settings.idempotencyTtl),
      readRoutes({ sql: store.statements, requires, cursors, auditMonths: settings.auditMonths }),
      ...(kernel.environment === "production" ? [] : [faultRoutes(requires, [relay], context.faults)]),
      outboxRoutes({
        sql: operatorSql,
        standing: store.statements.operations,
        requires,
        cursors,
        share,
        maskFor,
        operators,
        ...kernel.bulk,
        requeued: relay.wake,
        operationStarted: () => relay.send(operationStarted),
        retention: settings.outbox.retention,
        log,
      }),
      journeyRoutes(operatorSql, requires),
      userRoutes({ sql: operatorSql, changes: batcher, requires, cursors, auditMonths: settings.auditMonths }),
      messageRoutes(operatorSql, requires, settings, createSignatures(kernel.signingKeys)),
      idempotencyRoutes(operatorSql, requires),
      consistencyRoutes({ sql: operatorSql, requires, settings, share, asked: () => relay.send(reconcileNow) }),
      flowRoutes(operatorSql, requires, ["changed", "published", "retried", "failed"]),
      pauseRoutes({ pausable, pauses, store: operatorSql.pauses, requires }),
      operatorHealthRoutes({
        health,
        requires,
        log,
        askDatabase,
        broker: true,
        breakers: ["publish"],
        workers: workersOf(context, kernel, operatorSql.workers.list),
      }),
      erasureRoutes(requires, startErasure(operatorSql.erasures)),
      actionRoutes(operatorSql, requires, cursors, share, maskFor),
      configRoutes(requires, { kernel: kernelSettings, entitlement: entitlementSettings }),
    ],
  });
  const channel = service({ start: async () => {}, stop: async () => relay.close() });
  const closing = service({ start: async () => {}, stop: () => lanes.end({ timeout: 1 }) });
  // In parallel, so that their waits at a stop do not add up if the stream or the database hangs.
  const connections = parallel([closing, statistics, publishing.connections]);
  return sequence([channel, connections, parallel([pauses, publishing.attempts, api])]);
}
