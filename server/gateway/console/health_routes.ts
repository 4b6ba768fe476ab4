import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Health } from "../../kernel/life/health.ts";
import type { SystemHealth } from "../../kernel/operator/health_routes.ts";
import type { SessionGuard } from "../edge/session_guard.ts";
import { consoleRoles } from "./operator_routes.ts";

/** What the gateway depends on, for the console, in the words of the services' `/ops/health`. */
export const gatewayHealthRoutes = (health: Health, entrance: SessionGuard) =>
  new Elysia({ normalize: false }).get(
    "/admin/api/gateway/health",
    (): SystemHealth => ({
      dependencies: Object.entries(health.parts()).map(([name, trouble]) => ({
        name,
        state: trouble === null ? "ok" : "trouble",
        detail: trouble,
      })),
      workers: [],
      breakers: [],
      consumer: null,
    }),
    {
      ...entrance.signedIn(consoleRoles),
      query: Type.Object({}, { additionalProperties: false }),
      detail: {
        summary: "How the gateway is, part by part",
        description:
          "Of the gateway that answers. `redis_integrity` is in trouble when Redis holds what no gateway signed: a planted session, role or key. Role: VIEWER, OPERATOR or ADMIN.",
      },
    },
  );
