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
  /** Which parts are circuit breakers. */
  readonly breakers?: readonly string[];
  /** Asks the broker how far the system's consumer is; rejects when it does not answer. */
  readonly consumer?: () => Promise<ConsumerLag | undefined>;
  readonly log: Log;
}

// Viewers look every few seconds; however many there are, the broker and the database are asked once.
const freshFor = 2000;

const partOf = (name: string, trouble: string | null | undefined): HealthPart => ({
  name,
  state: trouble === undefined ? "unknown" : trouble === null ? "ok" : "trouble",
  detail: trouble ?? null,
});

/** A part that several may speak of: the first trouble counts. */
function toldBy(speakers: readonly Parts[], name: string): HealthPart {
  const said = speakers.flatMap(parts => (name in parts ? [parts[name] ?? null] : []));
  return partOf(name, said.length === 0 ? undefined : (said.find(trouble => trouble !== null) ?? null));
}

/** What /readyz knows, in parts and for people: what the system depends on, its workers, its breakers, and how far its consumer is. */
export function operatorHealthRoutes({ health, requires, askDatabase, breakers = [], consumer, log }: OperatorHealthOptions) {
  /** A driver's own words name hosts and roles: they are for the log. A refusal says what to check. */
  const silent = (what: string) => (error: unknown) => {
    log.warn({ error, what }, "health.trouble");
    return (error instanceof BrokerAway ? error.refusal : databaseRefusal(error)) ?? "does not answer";
  };
  async function look(): Promise<SystemHealth> {
    const [database, lag] = await Promise.all([
      askDatabase().then(() => null, silent("database")),
      consumer?.().then(
        found => ({ found, broker: null }),
        error => ({ found: undefined, broker: silent("broker")(error) }),
      ),
    ]);
    const known = health.parts();
    const speakers = [known, ...health.workers.values()];
    return {
      dependencies: [partOf("database", database), toldBy([...speakers, ...(lag ? [{ broker: lag.broker }] : [])], "broker")],
      workers: [...health.workers.keys()].map(role => partOf(role, known[role])),
      breakers: breakers.map(name => toldBy(speakers, name)),
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
        "Workers that run in processes of their own are not seen here: `workers` is empty then, and what only they know is `unknown`. `consumer` is how far it is behind the stream, null where there is none or nobody could say. At most two seconds old. Scope: ops:read.",
    },
  });
}
