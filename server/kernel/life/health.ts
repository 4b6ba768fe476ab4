import { Elysia } from "elysia";

export type Readiness = "starting" | "ready" | "stopping";

export type Parts = Readonly<Record<string, string | null>>;

/** The health of a process. Only its own database and its life cycle make it unready; other troubles make it degraded. */
export function createHealth() {
  const parts = new Map<string, string | null>();
  return {
    state: "starting" as Readiness,
    /** Why it is not ready, e.g. missing migrations. */
    waitingFor: "its start" as string,
    trouble: (part: string, what: string) => void parts.set(part, what),
    fine: (part: string) => void parts.set(part, null),
    troubles: () => Object.fromEntries([...parts].filter((part): part is [string, string] => part[1] !== null)),
    /** Every part that has reported, with its trouble; null = none. */
    parts: (): Parts => Object.fromEntries(parts),
    /** The last reports of the workers of this process, by role. */
    workers: new Map<string, Parts>(),
    /** Queries the service's own database; rejects if it is unavailable. Undefined in a process without one. */
    askDatabase: undefined as (() => Promise<unknown>) | undefined,
  };
}

export type Health = ReturnType<typeof createHealth>;

interface Answer {
  readonly status: 200 | 503;
  /** `starting`, `ready`, `degraded`, `unavailable` or `stopping`. */
  readonly word: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** 503 only for migrations, the own database, or shutdown. */
async function readiness(health: Health): Promise<Answer> {
  if (health.state !== "ready") return { status: 503, word: health.state, details: { waiting_for: health.waitingFor } };
  const database = await health.askDatabase?.().then(
    () => "ok",
    () => "away",
  );
  const known = database === undefined ? {} : { database };
  if (database === "away") return { status: 503, word: "unavailable", details: known };
  const degraded = health.troubles();
  if (Object.keys(degraded).length === 0) return { status: 200, word: "ready", details: known };
  return { status: 200, word: "degraded", details: { ...known, degraded } };
}

const answer = ({ status, word }: Answer, details: Answer["details"] = {}) =>
  Response.json({ status: word, ...details }, { status, headers: word === "unavailable" ? { "retry-after": "1" } : {} });

const alive = () => Response.json({ status: "alive" });
const hidden = { detail: { hide: true } };

/** Public: whether the API lives and accepts requests, without details. `guard`: route options, for example a rate limit. */
export const publicHealthRoutes = (health: Health, guard: object = {}) =>
  new Elysia()
    .get("/livez", alive, { ...hidden, ...guard })
    .get("/readyz", async () => answer(await readiness(health)), { ...hidden, ...guard });

/** For the people who run the process: what it waits for, what is degraded, and its metrics. /livez depends on nothing outside the process. */
export const healthRoutes = (health: Health, metricsText: () => Promise<string>) =>
  new Elysia()
    .get("/livez", alive)
    .get("/readyz", async () => {
      const found = await readiness(health);
      return answer(found, found.details);
    })
    .get("/metrics", async () => new Response(await metricsText(), { headers: { "content-type": "text/plain; version=0.0.4" } }));
