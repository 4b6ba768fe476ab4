import { logRequestsPattern } from "../telemetry/request_log.ts";
import { choice, duration, integer, optional, type Settings, signingKeys, text, textLike } from "./config.ts";
import { natsProblems, natsSettings } from "./nats_access.ts";
import { traceProblems, traceSettings } from "./trace_settings.ts";

/** The settings of every process. */
export const kernelSettings = {
  environment: choice("KENRI_ENV", "the environment; debug routes and injected faults exist only outside production", "production", [
    "production",
    "development",
    "test",
  ]),
  logLevel: choice("LOG_LEVEL", "the lowest level that is logged", "info", ["debug", "info", "warn", "error", "silent"]),
  logRequests: textLike(
    "LOG_REQUESTS",
    "which HTTP requests are logged: all, errors (status 400 and above), off, or errors and a share of the others, such as 0.01",
    "all",
    logRequestsPattern,
    "all, errors, off or a share such as 0.01",
  ),
  host: text("HTTP_HOST", "the address the HTTP servers listen on", "127.0.0.1"),
  healthHost: text(
    "HEALTH_HOST",
    "the address that the health port listens on; probes and scrapers on other machines need another one",
    "127.0.0.1",
  ),
  healthPort: optional(
    integer(
      "HEALTH_PORT",
      "the port of /livez, the detailed /readyz and /metrics; a process with several systems needs <SYSTEM>_HEALTH_PORT; not served if not set",
      undefined,
      { minimum: 0, maximum: 65535 },
    ),
  ),
  nats: natsSettings,
  signingKeys: optional(
    signingKeys(
      "EVENT_SIGNING_KEYS",
      "keys that sign the messages between systems, id:secret separated by commas: the first signs, all verify; required in production, see security.md",
    ),
  ),
  jwksUrl: optional(
    text("GATEWAY_JWKS_URL", "the URL of the public keys that verify people's tokens; if not set, only API keys are accepted"),
  ),
  bodyWithin: duration("BODY_WITHIN", "how long the body of a request may take to arrive; then the request is refused", "10s", {
    minimum: "100ms",
    maximum: "1m",
  }),
  shutdownWithin: duration("SHUTDOWN_WITHIN", "the deadline of a process after SIGTERM", "10s", { minimum: "1s", maximum: "5m" }),
  shutdownNotice: duration(
    "SHUTDOWN_NOTICE",
    "how long /readyz answers 503 before the port closes, so that load balancers stop sending requests",
    "1s",
    { minimum: "0ms", maximum: "1m" },
  ),
  database: {
    deadline: duration("DATABASE_DEADLINE", "the deadline of a statement; after it the database counts as unavailable", "5s", {
      minimum: "100ms",
      maximum: "5m",
    }),
    connections: integer("DATABASE_CONNECTIONS", "connections of an API process for reads", 8, { minimum: 1, maximum: 100 }),
  },
  operators: {
    connections: integer("OPERATOR_CONNECTIONS", "connections of an API process for operators' requests", 4, {
      minimum: 1,
      maximum: 100,
    }),
    deadline: duration("OPERATOR_DEADLINE", "the deadline of a statement for an operator; then it is cancelled", "5s", {
      minimum: "100ms",
      maximum: "5m",
    }),
    requests: integer(
      "OPERATOR_REQUESTS",
      "operators' requests that an API process handles at once, at most half of them for one person; the others wait",
      8,
      { minimum: 2, maximum: 1000 },
    ),
    wait: duration("OPERATOR_WAIT", "how long an operator's request waits for its turn; then the answer is 429", "1500ms", {
      minimum: "10ms",
      maximum: "1m",
    }),
  },
  stream: {
    maxAge: duration("STREAM_MAX_AGE", "how long a stream keeps messages", "7d", { minimum: "1s", maximum: "365d" }),
    duplicateWindow: duration("STREAM_DUPLICATE_WINDOW", "how long a stream remembers a message id and drops duplicates", "2m", {
      minimum: "100ms",
      maximum: "1d",
    }),
    replicas: integer("STREAM_REPLICAS", "copies of a stream in a JetStream cluster", 1, { minimum: 1, maximum: 5 }),
  },
  bulk: {
    cap: integer("BULK_CAP", "the most rows of a bulk operation that an OPERATOR may start; larger ones need ADMIN", 1000, {
      minimum: 1,
      maximum: 1_000_000,
    }),
    batch: integer("BULK_BATCH", "rows of a bulk operation that one statement changes", 200, { minimum: 1, maximum: 1000 }),
    pace: duration(
      "BULK_PACE",
      "the pause between two batches; an operation begins at once, or within 2 s if the API runs in another process",
      "250ms",
      {
        minimum: "10ms",
        maximum: "1m",
      },
    ),
    confirmedFor: duration(
      "BULK_CONFIRMED_FOR",
      "how long a person's bulk operation continues after the last confirmation of their roles; then it waits",
      "10s",
      { minimum: "1s", maximum: "1d" },
    ),
    retention: duration("OPERATION_RETENTION", "how long finished bulk operations and the results of their rows are kept", "90d", {
      minimum: "1m",
      maximum: "3650d",
    }),
  },
  erasureEvery: duration("ERASURE_EVERY", "how often a system continues the erasures of users that are not done", "5s", {
    minimum: "50ms",
    maximum: "1h",
  }),
  opsAnswersFor: duration(
    "OPS_ANSWERS_FOR",
    "how long a list or count result is shared between operators; 0 = only while the query runs",
    "1s",
    { minimum: "0ms", maximum: "1m" },
  ),
  flow: {
    every: duration("FLOW_EVERY", "how often a worker stores its counts for the flow charts", "5s", {
      minimum: "100ms",
      maximum: "1m",
    }),
    retention: duration("FLOW_RETENTION", "how long the counts of the flow charts are kept", "7d", { minimum: "0ms", maximum: "365d" }),
  },
  reportEvery: duration(
    "WORKER_REPORT_EVERY",
    "how often a worker reports to the store of its system, so that /ops/health sees it; it counts as gone after three times as long",
    "5s",
    { minimum: "100ms", maximum: "1m" },
  ),
  liveness: {
    every: duration("LIVENESS_EVERY", "how often a worker checks its own progress", "3s", { minimum: "50ms", maximum: "1m" }),
    looks: integer(
      "LIVENESS_LOOKS",
      "checks in a row with due work, available dependencies and no progress; then the worker is restarted",
      15,
      { minimum: 2, maximum: 1000 },
    ),
  },
  traces: traceSettings,
  faults: {
    killAt: optional(text("FAULT_KILL_AT", "the process kills itself at this fault point; refused in production")),
    stopAt: optional(text("FAULT_STOP_AT", "the process stops itself (SIGSTOP) once at this fault point; refused in production")),
    failUsersWith: optional(text("FAULT_USER_PREFIX", "publishes and sends for users with this prefix fail; refused in production")),
    stuckRole: optional(text("FAULT_STUCK_ROLE", "the work of this role, <system>:<role>, stands still; refused in production")),
  },
} as const;

export type KernelSettings = Settings<typeof kernelSettings>;

/** What is wrong with the settings together. */
export function kernelProblems({ environment, faults, nats, traces }: KernelSettings): string[] {
  return [...natsProblems(nats), ...traceProblems(traces), ...(environment === "production" ? faultProblems(faults) : [])];
}

function faultProblems(faults: KernelSettings["faults"]): string[] {
  const set = {
    FAULT_KILL_AT: faults.killAt,
    FAULT_STOP_AT: faults.stopAt,
    FAULT_USER_PREFIX: faults.failUsersWith,
    FAULT_STUCK_ROLE: faults.stuckRole,
  };
  return Object.entries(set).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} is refused with KENRI_ENV=production: faults are for tests and rehearsals`],
  );
}
