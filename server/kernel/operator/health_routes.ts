import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import { sharedReads } from "../http/shared_reads.ts";
import type { Health, Parts } from "../life/health.ts";
import { BrokerAway } from "../nats/broker.ts";
import type { ConsumerLag } from "../nats/streams.ts";
import { databaseRefusal } from "../postgres/database.ts";
import type { Log } from "../telemetry/log.ts";

type State = "ok" | "trouble" | "unknown";

export interface HealthPart {
  readonly name: string;
  readonly state: State;
  readonly detail: string | null;
}

/** The health of a process for operators. */
export interface SystemHealth {
  readonly dependencies: readonly HealthPart[];
  readonly workers: readonly HealthPart[];
  readonly breakers: readonly HealthPart[];
  readonly consumer: ConsumerLag | null;
}

export interface OperatorHealthOptions {
  readonly health: Health;
  readonly requires: Requires;
  readonly askDatabase: () => Promise<unknown>;
  /** Whether roles of the system use the broker. */
  readonly broker: boolean;
  /** Which parts are circuit breakers. */
  readonly breakers?: readonly string[];
  /** Reads the lag of the system's consumer from the broker; rejects when the broker does not answer. */
  readonly consumer?: () => Promise<ConsumerLag | undefined>;
  readonly log: Log;
}

// Every viewer reads it every few seconds; all of them share one read of the broker and the database.
const freshFor = 2000;

const partOf = (name: string, trouble: string | null | undefined): HealthPart => ({
  name,
  state: trouble === undefined ? "unknown" : trouble === null ? "ok" : "trouble",
  detail: trouble ?? null,
});

/** A part that several processes may report: the first trouble counts. */
function reportedBy(reporters: readonly Parts[], name: string): HealthPart {
  const reported = reporters.flatMap(parts => (name in parts ? [parts[name] ?? null] : []));
  return partOf(name, reported.length === 0 ? undefined : (reported.find(trouble => trouble !== null) ?? null));
}

/** The health of /readyz in parts, for people: dependencies, workers, breakers, and the lag of the consumer. */
export function operatorHealthRoutes({ health, requires, askDatabase, broker, breakers = [], consumer, log }: OperatorHealthOptions) {
  /** The text of a driver names hosts and roles, so it goes to the log only. A refusal says what to check. */
  const troubleOf = (what: string) => (error: unknown) => {
    log.warn({ error, what }, "health.trouble");
    return (error instanceof BrokerAway ? error.refusal : databaseRefusal(error)) ?? "does not answer";
  };
  async function look(): Promise<SystemHealth> {
    const [database, lag] = await Promise.all([
      askDatabase().then(() => null, troubleOf("database")),
      consumer?.().then(
        found => ({ found, broker: null }),
        error => ({ found: undefined, broker: troubleOf("broker")(error) }),
      ),
    ]);
    const known = health.parts();
    const reporters = [known, ...health.workers.values()];
    return {
      dependencies: [
        partOf("database", database),
        ...(broker ? [reportedBy([...reporters, ...(lag ? [{ broker: lag.broker }] : [])], "broker")] : []),
      ],
      workers: [...health.workers.keys()].map(role => partOf(role, known[role])),
      breakers: breakers.map(name => reportedBy(reporters, name)),
      consumer: lag?.found ?? null,
    };
  }
  const shared = sharedReads(freshFor).share(look);
  return new Elysia({ normalize: false }).get("/ops/health", () => shared(), {
    query: Type.Object({}, { additionalProperties: false }),
    ...requires("ops:read"),
    detail: {
      summary: "How the system is, part by part",
      description:
        "Workers that run in processes of their own are not seen here: `workers` is empty then, and parts that only they report are `unknown`. `consumer` is how far the consumer is behind the stream; null if there is none or the broker does not answer. At most two seconds old. Scope: ops:read.",
    },
  });
}
