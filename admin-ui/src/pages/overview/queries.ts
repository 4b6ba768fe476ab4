import { queryOptions } from "@tanstack/react-query";
import { ask, type FlowSeries, type System, type SystemHealth } from "../../api/api.ts";

export const flow = (system: System, minutes: number) =>
  queryOptions({
    queryKey: ["flow", system, minutes],
    queryFn: asking => ask<FlowSeries>(system, "flow", { minutes }, asking),
  });

export const health = (system: System) =>
  queryOptions({
    queryKey: ["health", system],
    queryFn: asking => ask<SystemHealth>(system, "health", {}, asking),
  });

/** Of the gateway that answers; every gateway reads what all of them keep in Redis. */
export const gatewayHealth = queryOptions({
  queryKey: ["health", "gateway"],
  queryFn: asking => ask<SystemHealth>("gateway", "health", {}, asking),
});
