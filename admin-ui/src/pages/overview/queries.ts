import { queryOptions } from "@tanstack/react-query";
import type { Monitoring } from "../../../../server/gateway/monitoring/monitoring.ts";
import type { flowRoutes } from "../../../../server/kernel/operator/flow_routes.ts";
import type { SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";
import type { Answer } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import type { System, WatchedSystem } from "../../systems.ts";

/** Every minute of a time range. The last one is incomplete. */
export type FlowSeries = Answer<typeof flowRoutes, "ops/flow">;

export const flow = (system: System, minutes: number) =>
  queryOptions({
    queryKey: ["flow", system, minutes],
    queryFn: context => get<FlowSeries>(system, "flow", { minutes }, context),
  });

export const health = (system: WatchedSystem) =>
  queryOptions({
    queryKey: ["health", system],
    queryFn: context => get<SystemHealth>(system, "health", {}, context),
  });

/** Error budgets and alerts, as Prometheus has them. */
export const monitoring = queryOptions({
  queryKey: ["monitoring"],
  queryFn: context => get<Monitoring>("gateway", "monitoring", {}, context),
});

/** Of the gateway process that answers. All gateways share the state in Redis. */
export const gatewayHealth = queryOptions({
  queryKey: ["health", "gateway"],
  queryFn: context => get<SystemHealth>("gateway", "health", {}, context),
});
