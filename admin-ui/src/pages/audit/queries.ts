import { infiniteQueryOptions } from "@tanstack/react-query";
import { type Action, get, type Parameters, type System } from "../../api/client.ts";
import { cursorOf, type Page, paging } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

export const actions = (system: System, filter: Parameters = {}) =>
  infiniteQueryOptions({
    queryKey: ["actions", system, filter, pageSize()],
    queryFn: async ({ pageParam, ...context }): Promise<Page<Action>> => {
      const page = await get<Record<string, unknown>>(system, "actions", { ...filter, limit: pageSize(), cursor: pageParam }, context);
      return { rows: page.actions as Action[], next: cursorOf(page) };
    },
    ...paging,
  });
