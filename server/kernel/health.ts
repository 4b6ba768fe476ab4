import { Elysia } from "elysia";
import type { Registry } from "prom-client";

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
  };
}

export type Health = ReturnType<typeof createHealth>;

export interface HealthParts {
  readonly health: Health;
  /** Asks the service's own database; rejects when it is away. */
  readonly askDatabase: () => Promise<unknown>;
  readonly metricsText: () => Promise<string>;
}

/** /livez asks nothing outside the process; /readyz is 503 only for migrations, the own database, or shutdown. */
export function healthRoutes({ health, askDatabase, metricsText }: HealthParts) {
  const hidden = { detail: { hide: true } };
  return new Elysia()
    .get("/livez", () => Response.json({ status: "alive" }), hidden)
    .get(
      "/readyz",
      async () => {
        if (health.state !== "ready") return Response.json({ status: health.state, waiting_for: health.waitingFor }, { status: 503 });
        const database = await askDatabase().then(
          () => "ok",
          () => "away",
        );
        if (database !== "ok") return Response.json({ status: "unavailable", database }, { status: 503, headers: { "retry-after": "1" } });
        const degraded = health.troubles();
        return Response.json({
          status: Object.keys(degraded).length > 0 ? "degraded" : "ready",
          database,
          ...(Object.keys(degraded).length > 0 ? { degraded } : {}),
        });
      },
      hidden,
    )
    .get("/metrics", async () => new Response(await metricsText(), { headers: { "content-type": "text/plain; version=0.0.4" } }), hidden);
}

export type MetricsText = (own: Registry) => Promise<string>;
