import { Elysia, NotFoundError } from "elysia";
import { healthRoutes } from "../life/health.ts";
import type { RoleContext } from "../life/role.ts";
import { type Service, service } from "../life/service.ts";
import { problemOf } from "./http.ts";
import { notFound } from "./problem.ts";

export interface HealthServerOptions {
  /** None: nothing is served, and the log says so. */
  readonly port: number | undefined;
  readonly host: string;
  /** The variables that would give it a port. */
  readonly variables: readonly string[];
  readonly context: RoleContext;
}

/** /livez, the detailed /readyz and /metrics on a port of their own: they name hosts, tables and load, which clients of an API must not read. */
export function healthServer({ port, host, variables, context }: HealthServerOptions): Service {
  const { health, metricsText, log } = context;
  const app = new Elysia({ handler: { standardHostname: false } })
    .onError(({ error, request }) => {
      const problem = error instanceof NotFoundError ? notFound("there are /livez, /readyz and /metrics here") : problemOf(error);
      if (problem.status === 500) log.error({ error }, "health.failed");
      return problem.response(new URL(request.url).pathname.slice(0, 1000));
    })
    .use(healthRoutes(health, metricsText));
  return service({
    async start() {
      if (port === undefined)
        return log.warn(`health.no_port: no metrics and no detailed health are served; set ${variables.join(" or ")} to a free port`);
      // Elysia shares a port with other processes by default: each scrape would then be answered by any of them.
      app.listen({ port, hostname: host, reusePort: false });
      log.info({ url: `http://${host}:${app.server?.port}` }, "health.listening");
    },
    stop: async () => {
      if (app.server) await app.stop(true);
    },
  });
}
