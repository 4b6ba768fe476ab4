import { infiniteQueryOptions } from "@tanstack/react-query";
import { type Action, ask, type Parameters, type System } from "../../api/api.ts";
import { cursorOf, type Page, paging } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

export const actions = (system: System, filter: Parameters = {}) =>
  infiniteQueryOptions({
    queryKey: ["actions", system, filter, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<Action>> => {
      const page = await ask<Record<string, unknown>>(system, "actions", { ...filter, limit: pageSize(), cursor: pageParam }, asking);
      return { rows: page.actions as Action[], next: cursorOf(page) };
    },
    ...paging,
  });
