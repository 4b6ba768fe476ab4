import { queryOptions } from "@tanstack/react-query";
import { ask, type ConfigGroup, type Configured } from "../../api/api.ts";

export const config = (system: Configured) =>
  queryOptions({
    queryKey: ["config", system],
    queryFn: async asking => (await ask<{ groups: ConfigGroup[] }>(system, "config", {}, asking)).groups,
    staleTime: 60_000,
  });
