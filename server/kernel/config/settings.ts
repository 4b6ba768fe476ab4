import { logRequestsPattern } from "../telemetry/request_log.ts";
import { choice, duration, flag, integer, optional, type Settings, signingKeys, text, textLike } from "./config.ts";
import { natsProblems, natsSettings } from "./nats_access.ts";

/** What every process reads. */
export const kernelSettings = {
  environment: choice("KENRI_ENV", "where this runs; debug routes and faults on purpose exist only outside production", "production", [
    "production",
    "development",
    "test",
  ]),
  logLevel: choice("LOG_LEVEL", "the least level that is logged", "info", ["debug", "info", "warn", "error", "silent"]),
  logRequests: textLike(
    "LOG_REQUESTS",
    "which HTTP requests are logged: all, errors (answers of 400 and above), off, or errors and a share of the others, such as 0.01",
    "all",
    logRequestsPattern,
    "all, errors, off or a share such as 0.01",
  ),
  host: text("HTTP_HOST", "the address the HTTP servers listen on", "127.0.0.1"),
  healthHost: text("HEALTH_HOST", "the address of the health port; probes and scrapers from other machines need another one", "127.0.0.1"),
  healthPort: optional(
    integer(
      "HEALTH_PORT",
      "where a process serves /livez, the detailed /readyz and /metrics; one that runs several systems needs <SYSTEM>_HEALTH_PORT; neither is served when not set",
      undefined,
      { minimum: 0, maximum: 65535 },
    ),
  ),
  nats: natsSettings,
  signingKeys: optional(
    signingKeys(
      "EVENT_SIGNING_KEYS",
      "keys that entitlement and notification sign their messages with, id:secret with commas between: the first signs, all verify; required in production, see security.md",
    ),
  ),
  jwksUrl: optional(
    text(
      "GATEWAY_JWKS_URL",
      "where the gateway publishes the keys of its tokens; without it people cannot ask this service, only API keys",
    ),
  ),
  bodyWithin: duration("BODY_WITHIN", "a request whose body takes longer to arrive is refused", "10s", { minimum: "100ms", maximum: "1m" }),
  shutdownWithin: duration("SHUTDOWN_WITHIN", "a process ends within this after SIGTERM", "10s", { minimum: "1s", maximum: "5m" }),
  shutdownNotice: duration(
    "SHUTDOWN_NOTICE",
    "how long /readyz says 503 before the port closes, so that nobody is sent here any more",
    "1s",
    { minimum: "0ms", maximum: "1m" },
  ),
  database: {
    deadline: duration("DATABASE_DEADLINE", "a statement that takes longer counts as a database that is away", "5s", {
      minimum: "100ms",
      maximum: "5m",
    }),
    connections: integer("DATABASE_CONNECTIONS", "connections of an API process for reads", 8, { minimum: 1, maximum: 100 }),
  },
  operators: {
    connections: integer("OPERATOR_CONNECTIONS", "connections of an API process for what operators ask and do", 4, {
      minimum: 1,
      maximum: 100,
    }),
    deadline: duration("OPERATOR_DEADLINE", "a statement for an operator that takes longer is cancelled", "5s", {
      minimum: "100ms",
      maximum: "5m",
    }),
    requests: integer(
      "OPERATOR_REQUESTS",
      "requests of operators that an API process works on at once, half of them for one person at most; others wait",
      8,
      { minimum: 2, maximum: 1000 },
    ),
    wait: duration("OPERATOR_WAIT", "how long a request of an operator waits for its turn; then it is answered 429", "1500ms", {
      minimum: "10ms",
      maximum: "1m",
    }),
  },
  stream: {
    maxAge: duration("STREAM_MAX_AGE", "how long a stream keeps messages", "7d", { minimum: "1s", maximum: "365d" }),
    duplicateWindow: duration("STREAM_DUPLICATE_WINDOW", "how long a stream knows a message id", "2m", { minimum: "100ms", maximum: "1d" }),
    replicas: integer("STREAM_REPLICAS", "copies of a stream in a JetStream cluster", 1, { minimum: 1, maximum: 5 }),
  },
  bulk: {
    cap: integer("BULK_CAP", "the most rows of a bulk operation that an OPERATOR starts; above it ADMIN", 1000, {
      minimum: 1,
      maximum: 1_000_000,
    }),
    batch: integer("BULK_BATCH", "the rows of a bulk operation that change in one statement", 200, { minimum: 1, maximum: 1000 }),
    pace: duration("BULK_PACE", "the pause between two batches, and how soon an operation begins", "250ms", {
      minimum: "10ms",
      maximum: "1m",
    }),
    confirmedFor: duration(
      "BULK_CONFIRMED_FOR",
      "how long a person's bulk operation goes on after the gateway confirmed that they may do it; then it waits",
      "10s",
      { minimum: "1s", maximum: "1d" },
    ),
    retention: duration("OPERATION_RETENTION", "how long finished bulk operations are kept with what became of each row", "90d", {
      minimum: "1m",
      maximum: "3650d",
    }),
  },
  opsAnswersFor: duration(
    "OPS_ANSWERS_FOR",
    "how long an answer of lists and counts to an operator holds for all who ask the same; 0: only for those who ask meanwhile",
    "1s",
    { minimum: "0ms", maximum: "1m" },
  ),
  flow: {
    every: duration("FLOW_EVERY", "how often a worker stores what it counted for the charts of the flow, if there is something", "5s", {
      minimum: "100ms",
      maximum: "1m",
    }),
    retention: duration("FLOW_RETENTION", "how long the counts of a minute are kept", "7d", { minimum: "0ms", maximum: "365d" }),
  },
  liveness: {
    every: duration("LIVENESS_EVERY", "how often a worker looks whether its work goes on", "3s", { minimum: "50ms", maximum: "1m" }),
    looks: integer(
      "LIVENESS_LOOKS",
      "looks in a row that find due work, everything it needs, and no progress, until the worker is started again",
      15,
      { minimum: 2, maximum: 1000 },
    ),
  },
  faults: {
    killAt: optional(text("FAULT_KILL_AT", "the process kills itself at this point of the code; refused in production")),
    stopAt: optional(text("FAULT_STOP_AT", "the process stops itself (SIGSTOP) at this point of the code, once; refused in production")),
    failUsersWith: optional(text("FAULT_USER_PREFIX", "publishes and sends for users with this prefix fail; refused in production")),
    stuckRole: optional(text("FAULT_STUCK_ROLE", "the work of this role stands still, e.g. entitlement:relay; refused in production")),
  },
  debugInbox: flag("DEBUG_INBOX", "serve the debug inbox in production too", false),
} as const;

export type KernelSettings = Settings<typeof kernelSettings>;

/** What is wrong with the settings as a whole. */
export function kernelProblems({ environment, faults, nats }: KernelSettings): string[] {
  return [...natsProblems(nats), ...(environment === "production" ? faultProblems(faults) : [])];
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
