import { Elysia } from "elysia";
import { type Health, pauseText } from "../life/health.ts";

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
  const paused = Object.fromEntries(health.pauses.map(pause => [pause.role, pauseText(pause)]));
  const details = { ...known, ...(health.pauses.length > 0 ? { paused } : {}) };
  if (Object.keys(degraded).length === 0) return { status: 200, word: "ready", details };
  return { status: 200, word: "degraded", details: { ...details, degraded } };
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
