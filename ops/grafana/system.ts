import { natsPermissionsOf, needsOf, rolesOf, type System, workersOf } from "../../server/kernel/system/system.ts";
import type { SystemName } from "../../server/systems.ts";
import type { Dashboard, Panel, Row } from "./dashboard.ts";
import { queriesOf } from "./queries.ts";
import { entitlementRows } from "./systems/entitlement.ts";
import { gatewayRows } from "./systems/gateway.ts";
import { matchmakingRows } from "./systems/matchmaking.ts";
import { notificationRows } from "./systems/notification.ts";
import { ordersRows } from "./systems/orders.ts";

/** What only one system measures. */
const ownRows: Readonly<Record<SystemName, readonly Row[]>> = {
  entitlement: entitlementRows,
  notification: notificationRows,
  account: [],
  orders: ordersRows,
  matchmaking: matchmakingRows,
  gateway: gatewayRows,
};

/** What every system has, and in the middle what only this one has. */
export function dashboardOf(system: System<SystemName>): Dashboard {
  const { name, database } = system;
  const roles = rolesOf(system);
  const stores = [
    ...(database ? sqlPanels(name) : []),
    ...(roles.some(role => needsOf(system, role).includes("redis")) ? redisPanels(name) : []),
    ...(roles.some(role => natsPermissionsOf(system, role)) ? natsPanels(name) : []),
  ];
  return {
    uid: `kenri-${name}`,
    title: `Kenri: ${name}`,
    rows: [httpRow(name), ...ownRows[name], { title: "Stores", panels: stores }, processRow(system)],
  };
}

function httpRow(name: string): Row {
  const { rate, quantile } = queriesOf(name);
  const requests = "kenri_http_request_seconds";
  const route = ["method", "route"];
  // A stream lasts as long as its page is open.
  const where = 'route!~".*/stream"';
  return {
    title: "HTTP",
    panels: [
      { title: "Requests, by route", unit: "ops", width: 12, queries: [rate(`${requests}_count`, { by: route })] },
      {
        title: "Requests with status 5xx, by route",
        unit: "ops",
        width: 12,
        queries: [rate(`${requests}_count`, { by: [...route, "status"], where: 'status=~"5.."' })],
      },
      { title: "Duration by route, 50 %, without streams", unit: "s", width: 12, queries: [quantile(0.5, requests, { by: route, where })] },
      {
        title: "Duration by route, 99 %, without streams",
        unit: "s",
        width: 12,
        queries: [quantile(0.99, requests, { by: route, where })],
      },
    ],
  };
}

function sqlPanels(name: string): Panel[] {
  const { rate, quantile, max } = queriesOf(name);
  const pool = ["pool"];
  return [
    {
      title: "Connections in use and at most, by pool",
      unit: "short",
      queries: [max("kenri_pool_connections_used", { by: pool }), max("kenri_pool_connections_max", { by: pool, as: "at most:" })],
    },
    { title: "Statements that wait for a connection, by pool", unit: "short", queries: [max("kenri_pool_waiting", { by: pool })] },
    { title: "SQL statements, by file", unit: "ops", queries: [rate("kenri_sql_seconds_count", { by: ["statement"] })] },
    { title: "Duration of SQL statements, 99 %", unit: "s", queries: [quantile(0.99, "kenri_sql_seconds", { by: ["statement"] })] },
  ];
}

function redisPanels(name: string): Panel[] {
  const { rate, quantile } = queriesOf(name);
  return [
    { title: "Redis scripts, by file", unit: "ops", queries: [rate("kenri_redis_script_seconds_count", { by: ["script"] })] },
    { title: "Duration of Redis scripts, 99 %", unit: "s", queries: [quantile(0.99, "kenri_redis_script_seconds", { by: ["script"] })] },
  ];
}

const natsPanels = (name: string): Panel[] => [
  { title: "Open breakers (1)", unit: "short", queries: [queriesOf(name).max("kenri_breaker_open", { by: ["breaker"] })] },
  {
    title: "Connections and subjects that NATS refused",
    unit: "ops",
    queries: [queriesOf(name).rate("kenri_nats_refused_total", { by: ["cause"] })],
  },
];

function processRow(system: System): Row {
  const { rate, max } = queriesOf(system.name);
  const workers = workersOf(system);
  const ofWorkers: Panel = {
    title: "Workers that ended unasked and were started again",
    unit: "ops",
    queries: [
      rate("kenri_worker_restarts_total", { by: ["role"], as: "ended:" }),
      rate("kenri_worker_stuck_total", { by: ["role"], as: "was stuck:" }),
    ],
  };
  const deleted = rate("kenri_cleanup_deleted_total", { by: ["table"] });
  const bulk = rate("kenri_bulk_rows_total", { by: ["action", "result"] });
  return {
    title: "Processes",
    panels: [
      { title: "Parts in trouble (1), by role", unit: "short", queries: [max("kenri_health_trouble", { by: ["role", "part"] })] },
      { title: "Event loop lag, by thread", unit: "s", queries: [max("kenri_event_loop_lag_seconds", { by: ["thread"] })] },
      { title: "Resident memory, by process", unit: "bytes", queries: [max("kenri_process_resident_memory_bytes", { by: ["instance"] })] },
      { title: "Spans of traces, by outcome", unit: "ops", queries: [rate("kenri_trace_spans_total", { by: ["outcome"] })] },
      { title: "Runs of loops", unit: "ops", queries: [rate("kenri_loop_runs_total", { by: ["loop", "outcome"] })] },
      ...(system.pausable ? [{ title: "Paused roles (1)", unit: "short", queries: [max("kenri_paused", { by: ["role"] })] } as const] : []),
      ...(workers.length > 0 ? [ofWorkers] : []),
      ...(workers.includes(`${system.name}:janitor`)
        ? [{ title: "Rows deleted past their retention, by table", unit: "ops", queries: [deleted] } as const]
        : []),
      ...(system.rowKinds ? [{ title: "Rows of bulk actions, by result", unit: "ops", queries: [bulk] } as const] : []),
    ],
  };
}
