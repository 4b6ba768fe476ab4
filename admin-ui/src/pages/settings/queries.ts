import { queryOptions } from "@tanstack/react-query";
import { type ConfigGroup, type Configured, get } from "../../api/client.ts";

export const config = (system: Configured) =>
  queryOptions({
    queryKey: ["config", system],
    queryFn: async context => (await get<{ groups: ConfigGroup[] }>(system, "config", {}, context)).groups,
    staleTime: 60_000,
  });
