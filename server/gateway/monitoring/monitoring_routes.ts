import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { consoleRoles } from "../console/operator_routes.ts";
import type { SessionGuard } from "../edge/session_guard.ts";
import type { Monitoring } from "./monitoring.ts";

/** Error budgets and alerts for the console. */
export const monitoringRoutes = (read: () => Promise<Monitoring>, guard: SessionGuard) =>
  new Elysia({ normalize: false }).get("/admin/api/gateway/monitoring", () => read(), {
    ...guard.signedIn(consoleRoles),
    query: Type.Object({}, { additionalProperties: false }),
    detail: {
      summary: "The error budgets of the objectives, and the alerts that fire",
      description:
        "As the Prometheus at PROMETHEUS_URL has them; at most five seconds old. `state`: `off` (PROMETHEUS_URL is not set), `away` (it cannot be read; `detail` says why), `no_rules` (it has no alert rules of Kenri), `stale` (the last evaluation of a group of rules is too old) or `ok`. Ratios are the share of bad units, and null without units. `since` is the first measurement within 28 days, within an hour. Role: VIEWER, OPERATOR or ADMIN.",
    },
  });
