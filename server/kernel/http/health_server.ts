import { Elysia, NotFoundError } from "elysia";
import type { RoleContext } from "../life/role.ts";
import { type Service, service } from "../life/service.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import { healthRoutes } from "./health_routes.ts";
import { problemOf } from "./http.ts";
import { httpServer } from "./http_server.ts";
import { notFound } from "./problem.ts";

export interface HealthServerOptions {
  /** Undefined: nothing is served, and the log says so. */
  readonly port: number | undefined;
  readonly host: string;
  /** The variables that set the port. */
  readonly variables: readonly string[];
  readonly context: RoleContext;
}

/** /livez, the detailed /readyz and /metrics on a port of their own: they name hosts, tables and load, which clients of an API must not read. */
export function healthServer({ port, host, variables, context }: HealthServerOptions): Service {
  const { health, metricsText, log } = context;
  if (port === undefined) {
    const says = `no metrics and no detailed health are served; set ${variables.join(" or ")} to a free port`;
    return service({ start: async () => log.warn({ says }, "health.no_port"), stop: async () => {} });
  }
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ error, request }) => {
      const problem = error instanceof NotFoundError ? notFound("there are /livez, /readyz and /metrics here") : problemOf(error);
      if (problem.status === 500) repeatsOf(log).write("error", { error }, "health.failed", { burst: rowBurst });
      return problem.response(new URL(request.url).pathname.slice(0, 1000));
    })
    .use(healthRoutes(health, metricsText));
  // Not shared: each scrape would be answered by any of the processes. A probe or scrape under way does not delay the end.
  return httpServer(app, { port, host, isShared: false, stopWithin: 0, log, listening: "health.listening" });
}
