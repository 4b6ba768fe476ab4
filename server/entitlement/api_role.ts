import { actionRoutes } from "../kernel/action_routes.ts";
import { apiRole } from "../kernel/api_role.ts";
import { configRoutes } from "../kernel/config_routes.ts";
import { connect } from "../kernel/database.ts";
import { faultRoutes } from "../kernel/fault_routes.ts";
import { loop } from "../kernel/loop.ts";
import { type RoleContext, tell } from "../kernel/role.ts";
import { group, type Service, service } from "../kernel/service.ts";
import { type KernelSettings, kernelSettings } from "../kernel/settings.ts";
import { bindStatements, readStatements } from "../kernel/statements.ts";
import { outboxBulkRoutes } from "./bulk_routes.ts";
import { changeRoutes } from "./change_routes.ts";
import { changes } from "./changes.ts";
import { type EntitlementSettings, entitlementSettings } from "./config.ts";
import { consistencyRoutes } from "./consistency_routes.ts";
import { idempotencyRoutes } from "./idempotency_routes.ts";
import { journeyRoutes } from "./journey_routes.ts";
import { messageRoutes } from "./message_routes.ts";
import { operatorRoutes } from "./operator_routes.ts";
import { outboxRoutes } from "./outbox_routes.ts";
import { readRoutes } from "./read_routes.ts";
import { replayBook } from "./replays.ts";
import type { EntitlementSql } from "./sql.gen.ts";
import { userRoutes } from "./user_routes.ts";

const countEvery = 1100; // with its jitter never more than once a second
const countWithin = 1000;

/** `entitlement:api`. Grants and revokes have connections of their own, so that reads never wait behind them nor they behind reads. */
export function entitlementApi(kernel: KernelSettings, settings: EntitlementSettings, context: RoleContext): Service {
  const { log, metrics, worker } = context;
  const lanes = connect({
    url: settings.appUrl,
    name: `${worker} change`,
    max: settings.changes.lanes,
    statementTimeout: kernel.database.deadline,
  });
  const statements = readStatements(["entitlement"]);
  const { change } = bindStatements<EntitlementSql>(lanes, statements, metrics, kernel.database.deadline);
  const relay = tell("entitlement:relay");
  // Statistics: their commits may be lost with the server, and nobody waits behind them.
  const counting = connect({ url: settings.appUrl, name: `${worker} replays`, max: 1, statementTimeout: countWithin, durable: false });
  const { idempotency } = bindStatements<EntitlementSql>(counting, statements, metrics, countWithin);
  const replays = replayBook({ write: idempotency.replayed, metrics });
  const batcher = changes({
    ...settings.changes,
    run: change,
    ttlSeconds: settings.idempotencyTtl / 1000,
    committed: relay.wake,
    replayed: ({ clientId, route, key }) => replays.note({ clientId, route, key }),
    metrics,
  });
  const api = apiRole<EntitlementSql>({
    system: "entitlement",
    url: settings.appUrl,
    port: settings.port,
    about: { title: "Kenri entitlement", description: "The source of truth of who owns what: grant, revoke, read, history." },
    kernel,
    context,
    routes: ({ store, requires, cursors }) => [
      changeRoutes(batcher, requires, settings.idempotencyTtl),
      readRoutes({ sql: store.statements, requires, cursors, auditMonths: settings.auditMonths }),
      ...(kernel.environment === "production" ? [] : [faultRoutes(requires, [relay])]),
      outboxRoutes(store.statements, requires, cursors),
      journeyRoutes(store.statements, requires),
      userRoutes({ sql: store.statements, changes: batcher, requires, cursors, auditMonths: settings.auditMonths }),
      messageRoutes(store.statements, requires, settings.subject),
      idempotencyRoutes(store.statements, requires),
      consistencyRoutes({ sql: store.statements, requires, settings, asked: relay.reconcile }),
      actionRoutes(store.statements, requires, cursors),
      configRoutes(requires, { kernel: kernelSettings, entitlement: entitlementSettings }),
      operatorRoutes({ sql: store.statements, requires, cursors, requeued: relay.wake }),
      outboxBulkRoutes({ sql: store.statements, requires, cursors, cap: kernel.bulk.cap }),
    ],
  });
  const connections = service({
    start: async () => {},
    stop: async () => {
      relay.close();
      await replays.flush().catch(() => {});
      await Promise.all([lanes.end({ timeout: 1 }), counting.end({ timeout: 1 })]);
    },
  });
  const counted = loop({
    name: "idempotency.replays",
    runOnce: replays.flush,
    full: Number.POSITIVE_INFINITY,
    interval: countEvery,
    log,
    metrics,
  });
  return group([connections, counted, api]);
}
