import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { KernelSettings } from "../config/settings.ts";
import type { Requires } from "../http/callers.ts";
import { sharedReads } from "../http/shared_reads.ts";
import { withTimeout } from "../life/deadline.ts";
import { type Health, type Parts, type Pause, pauseText } from "../life/health.ts";
import type { RoleContext } from "../life/role.ts";
import { BrokerAway } from "../nats/broker.ts";
import type { ConsumerLag, Missing } from "../nats/streams.ts";
import { databaseRefusal } from "../postgres/database.ts";
import type { Log } from "../telemetry/log.ts";
import { isLogged, repeatsOf } from "../telemetry/repeats.ts";
import { type SeenWorkersOptions, seenWorkers, type WorkerProcess } from "./seen_workers.ts";
import type { ReportedWorker } from "./worker_reports.ts";

/** `paused`: an operator has paused the worker, and it has no trouble. */
type State = "ok" | "trouble" | "unknown" | "paused";

export interface HealthPart {
  readonly name: string;
  readonly state: State;
  readonly detail: string | null;
}

/** The health of a system for operators, as one of its APIs sees it. */
export interface SystemHealth {
  readonly dependencies: readonly HealthPart[];
  /** One for each role that the system declares. */
  readonly workers: readonly HealthPart[];
  /** The workers that report, in any process. */
  readonly processes: readonly WorkerProcess[];
  readonly breakers: readonly HealthPart[];
  /** One for each stream that the system reads. */
  readonly consumers: readonly SourceLag[];
  /** The paused roles of the system, wherever they run. */
  readonly paused: readonly Pause[];
}

/** How far a consumer is behind its stream. The numbers are null unless it is `reading`. */
export interface SourceLag {
  readonly source: string;
  readonly stream: string;
  /** `no_stream`: nothing was ever published. `no_consumer`: nobody has read it yet. `unknown`: the broker does not answer. */
  readonly state: "reading" | "no_stream" | "no_consumer" | "unknown";
  readonly pending: number | null;
  readonly ack_pending: number | null;
  readonly redelivered: number | null;
}

/** A stream that the system reads. */
export interface ReadStream {
  readonly source: string;
  readonly stream: string;
  /** Asks the broker; rejects when it does not answer. */
  readonly lag: () => Promise<ConsumerLag | Missing>;
}

export interface OperatorHealthOptions {
  readonly health: Health;
  readonly requires: Requires;
  /** Undefined for a system without a database. */
  readonly askDatabase?: () => Promise<unknown>;
  /** Whether roles of the system use the broker. */
  readonly broker: boolean;
  /** Whether roles of the system use Redis. */
  readonly redis?: boolean;
  /** Which parts are circuit breakers. */
  readonly breakers?: readonly string[];
  readonly streams?: readonly ReadStream[];
  readonly workers: WorkersOptions;
  readonly log: Log;
}

/** How the workers of the system are found. */
export interface WorkersOptions extends Omit<SeenWorkersOptions, "health"> {
  /** Their reports, from the store of the system. */
  readonly list: () => Promise<readonly ReportedWorker[]>;
}

const readWithin = 1000;
// Every viewer reads it every few seconds; all of them share one read of the broker and the database.
const freshFor = 2000;

/** The parts are JSON for the store; only workers write them. */
type StoredReport = Omit<ReportedWorker, "parts"> & { readonly parts: unknown };

/** The workers of the system whose API has this context. */
export const workersOf = (
  { worker, workerRoles }: Pick<RoleContext, "worker" | "workerRoles">,
  { reportEvery }: Pick<KernelSettings, "reportEvery">,
  list: () => Promise<readonly StoredReport[]>,
): WorkersOptions => ({ self: worker, roles: workerRoles, every: reportEvery, list: list as WorkersOptions["list"] });

const partOf = (name: string, trouble: string | null | undefined): HealthPart => ({
  name,
  state: trouble === undefined ? "unknown" : trouble === null ? "ok" : "trouble",
  detail: trouble ?? null,
});

/** A pause is shown unless the worker is in trouble; `paused` of the answer has it anyway. */
function withPause(part: HealthPart, pauses: readonly Pause[]): HealthPart {
  const pause = pauses.find(({ role }) => role === part.name);
  return pause && part.state === "ok" ? { ...part, state: "paused", detail: pauseText(pause) } : part;
}

/** A part that several processes may report: the first trouble counts. */
function reportedBy(reporters: readonly Parts[], name: string): HealthPart {
  const reported = reporters.flatMap(parts => (name in parts ? [parts[name] ?? null] : []));
  return partOf(name, reported.length === 0 ? undefined : (reported.find(trouble => trouble !== null) ?? null));
}

const unreadStates = { "no stream": "no_stream", "no consumer": "no_consumer", unknown: "unknown" } as const;

const lagOf = ({ source, stream }: ReadStream, found: ConsumerLag | Missing | "unknown"): SourceLag =>
  typeof found === "string"
    ? { source, stream, state: unreadStates[found], pending: null, ack_pending: null, redelivered: null }
    : { source, stream, state: "reading", ...found };

/** The health of /readyz in parts, for people: dependencies, workers, breakers, and the lag of each consumer. */
export function operatorHealthRoutes(options: OperatorHealthOptions) {
  const { health, requires, askDatabase, broker, redis = false, breakers = [], streams = [], workers, log } = options;
  const seen = seenWorkers({ health, ...workers });
  /** The text of a driver names hosts and roles, so it goes to the log only. A refusal says what to check. */
  const troubleOf = (what: string) => (error: unknown) => {
    if (!isLogged(error)) repeatsOf(log).write("warn", { error, what }, "health.trouble", { key: what });
    return (error instanceof BrokerAway ? error.refusal : databaseRefusal(error)) ?? "does not answer";
  };
  async function look(): Promise<Omit<SystemHealth, "paused">> {
    const [database, reports, ...asked] = await Promise.all([
      askDatabase?.().then(() => null, troubleOf("database")),
      // A store that is away is named above. What this process knows itself is still right.
      withTimeout(readWithin, "the reports of the workers", workers.list()).catch(() => undefined),
      ...streams.map(one =>
        one.lag().then(
          found => ({ lag: lagOf(one, found), broker: null }),
          error => ({ lag: lagOf(one, "unknown"), broker: troubleOf("broker")(error) }),
        ),
      ),
    ]);
    const { roles, processes, parts } = seen.look(reports);
    const reporters = [health.parts(), ...health.workers.values(), ...parts];
    return {
      dependencies: [
        ...(askDatabase ? [partOf("database", database)] : []),
        ...(redis ? [reportedBy(reporters, "redis")] : []),
        ...(broker ? [reportedBy([...reporters, ...asked.map(one => ({ broker: one.broker }))], "broker")] : []),
      ],
      workers: roles.map(({ role, trouble }) => partOf(role, trouble)),
      processes,
      breakers: breakers.map(name => reportedBy(reporters, name)),
      consumers: asked.map(({ lag }) => lag),
    };
  }
  const shared = sharedReads(freshFor).share(look);
  /** The pauses are known here, so they are never two seconds old. */
  async function answer(): Promise<SystemHealth> {
    const found = await shared();
    const { pauses } = health;
    return { ...found, workers: found.workers.map(part => withPause(part, pauses)), paused: pauses };
  }
  return new Elysia({ normalize: false }).get("/ops/health", answer, {
    query: Type.Object({}, { additionalProperties: false }),
    ...requires("ops:read"),
    detail: {
      summary: "How the system is, part by part",
      description:
        "`workers` has every role of the system, wherever it runs; a role that no process runs is a trouble. `processes` are the workers that have reported to the store of the system, with the age of their report. Without that store only the workers of this process are known, and the others are `unknown`. `consumers` is how far the consumer of each source is behind its stream; its numbers are null unless its `state` is `reading`: there is no stream or no consumer yet, or the broker does not answer. `paused` has the roles that operators have paused, wherever they run: a pause is not a trouble. At most two seconds old. Scope: ops:read.",
    },
  });
}
