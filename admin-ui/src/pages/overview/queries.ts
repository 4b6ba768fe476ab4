import { queryOptions } from "@tanstack/react-query";
import { type FlowSeries, get, type System, type SystemHealth } from "../../api/client.ts";

export const flow = (system: System, minutes: number) =>
  queryOptions({
    queryKey: ["flow", system, minutes],
    queryFn: context => get<FlowSeries>(system, "flow", { minutes }, context),
  });

export const health = (system: System) =>
  queryOptions({
    queryKey: ["health", system],
    queryFn: context => get<SystemHealth>(system, "health", {}, context),
  });

/** Of the gateway process that answers. All gateways share the state in Redis. */
export const gatewayHealth = queryOptions({
  queryKey: ["health", "gateway"],
  queryFn: context => get<SystemHealth>("gateway", "health", {}, context),
});
