import { queryOptions } from "@tanstack/react-query";
import type { ConfigGroup } from "../../../../server/kernel/operator/config_routes.ts";
import { get } from "../../api/client.ts";
import type { WatchedSystem } from "../../systems.ts";

export type Configured = WatchedSystem | "account" | "gateway";

export const config = (system: Configured) =>
  queryOptions({
    queryKey: ["config", system],
    queryFn: async context => (await get<{ groups: ConfigGroup[] }>(system, "config", {}, context)).groups,
    staleTime: 60_000,
  });
