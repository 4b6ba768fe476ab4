import { Elysia } from "elysia";

export type Readiness = "starting" | "ready" | "stopping";

export type Parts = Readonly<Record<string, string | null>>;

/** What a process knows of its own health. Only its own database and its life cycle make it unready; the rest is told as degraded. */
export function createHealth() {
  const parts = new Map<string, string | null>();
  return {
    state: "starting" as Readiness,
    /** What keeps it from being ready, e.g. missing migrations. */
    waitingFor: "its start" as string,
    trouble: (part: string, what: string) => void parts.set(part, what),
    fine: (part: string) => void parts.set(part, null),
    troubles: () => Object.fromEntries([...parts].filter((part): part is [string, string] => part[1] !== null)),
    /** Everything that was ever heard of, with its trouble; null is none. */
    parts: (): Parts => Object.fromEntries(parts),
    /** What the workers of this process last said of their own parts, by role. */
    workers: new Map<string, Parts>(),
    /** Asks the service's own database; rejects when it is away. A process without one has nothing to ask. */
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

/** For everybody who reaches the API: whether it lives and takes requests, and nothing of what is behind it. `guard`: route options that limit who asks. */
export const publicHealthRoutes = (health: Health, guard: object = {}) =>
  new Elysia()
    .get("/livez", alive, { ...hidden, ...guard })
    .get("/readyz", async () => answer(await readiness(health)), { ...hidden, ...guard });

/** For who runs the process: what it waits for, what is degraded, and its metrics. /livez asks nothing outside the process. */
export const healthRoutes = (health: Health, metricsText: () => Promise<string>) =>
  new Elysia()
    .get("/livez", alive)
    .get("/readyz", async () => {
      const found = await readiness(health);
      return answer(found, found.details);
    })
    .get("/metrics", async () => new Response(await metricsText(), { headers: { "content-type": "text/plain; version=0.0.4" } }));
