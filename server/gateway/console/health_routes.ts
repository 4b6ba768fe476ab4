import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Health } from "../../kernel/life/health.ts";
import type { SystemHealth } from "../../kernel/operator/health_routes.ts";
import type { SessionGuard } from "../edge/session_guard.ts";
import { consoleRoles } from "./operator_routes.ts";

/** The gateway's dependencies, for the console, in the form of the services' `/ops/health`. */
export const gatewayHealthRoutes = (health: Health, guard: SessionGuard) =>
  new Elysia({ normalize: false }).get(
    "/admin/api/gateway/health",
    (): SystemHealth => ({
      dependencies: Object.entries(health.parts()).map(([name, trouble]) => ({
        name,
        state: trouble === null ? "ok" : "trouble",
        detail: trouble,
      })),
      workers: [],
      processes: [],
      breakers: [],
      consumers: [],
      paused: [],
    }),
    {
      ...guard.signedIn(consoleRoles),
      query: Type.Object({}, { additionalProperties: false }),
      detail: {
        summary: "The health of the gateway, part by part",
        description:
          "Of the gateway process that answers. `redis_integrity` is in trouble when Redis holds an entry that no gateway signed: a planted session, role or key. `identity provider` is in trouble when it does not answer: nobody can sign in. Role: VIEWER, OPERATOR or ADMIN.",
      },
    },
  );
