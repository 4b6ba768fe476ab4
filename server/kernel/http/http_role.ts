import type { AnyElysia } from "elysia";
import type { KernelSettings } from "../config/settings.ts";
import type { RoleContext } from "../life/role.ts";
import { type Service, sequence } from "../life/service.ts";
import { publicHealthRoutes } from "./health_routes.ts";
import { httpApp, startFailuresAtZero } from "./http.ts";
import { httpServer } from "./http_server.ts";
import { type About, openapiRoutes, type SecuritySchemes } from "./openapi.ts";
import { readiness } from "./readiness.ts";

export interface HttpRoleOptions {
  readonly system: string;
  readonly port: number;
  readonly kernel: Pick<KernelSettings, "host" | "logRequests" | "shutdownNotice" | "shutdownWithin">;
  readonly context: Pick<RoleContext, "log" | "metrics" | "tracer" | "health">;
  /** Routes whose requests are not logged. */
  readonly unlogged?: readonly string[];
  /** Called after each response, also after a failed one. */
  readonly finished?: (request: Request) => void;
}

export interface HttpParts {
  readonly about: About;
  readonly routes: readonly AnyElysia[];
  /** How callers identify themselves, for the API description; API keys by default. */
  readonly security?: SecuritySchemes;
  /** Route options that limit access to the health routes and the API description. */
  readonly guard?: object;
  /** Started before the port opens, stopped after the last request. */
  readonly before?: readonly Service[];
  /** Started while the port is open and before requests are accepted, stopped before the last requests are awaited. */
  readonly after?: readonly Service[];
}

/**
 * An HTTP API without a database. It listens at once. Until all its services have started, it answers 503 and names what it waits for.
 * Before it closes the port, /readyz answers 503 for a while; then it finishes the requests under way.
 */
export function httpRole({ system, port, kernel, context: { log, metrics, tracer, health }, unlogged = [], finished }: HttpRoleOptions) {
  const app = httpApp({ log, metrics, tracer, health, logRequests: kernel.logRequests, unlogged });
  const server = httpServer(app, {
    port,
    host: kernel.host,
    isShared: true,
    stopWithin: kernel.shutdownWithin / 2,
    finished,
    log,
    listening: "http.listening",
  });
  return {
    /** For hooks that concern all routes. */
    app,
    /** Where it listens. */
    url: () => `http://${kernel.host}:${server.port()}`,
    peerOf: server.peerOf,
    keepOpen: server.keepOpen,
    /** The service of the role. Called once, with all its routes. */
    serve({ about, routes, security, guard, before = [], after = [] }: HttpParts): Service {
      app.use(publicHealthRoutes(health, guard));
      for (const route of routes) app.use(route);
      openapiRoutes(app, about, security, guard);
      startFailuresAtZero(app, metrics);
      const ready = readiness({ health, notice: kernel.shutdownNotice, isReady: () => log.info({ system }, "ready") });
      return sequence([...before, server, ...after, ready]);
    },
  };
}
