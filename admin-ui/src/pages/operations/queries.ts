import { infiniteQueryOptions } from "@tanstack/react-query";
import { get, type OperationItem, type System } from "../../api/client.ts";
import { cursorOf, type Page, paging } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";

/** Filtered by the result of the action, or by the current outcome of the row. */
export const operationItems = (system: System, id: string, shown: { result?: string; outcome?: string }) =>
  infiniteQueryOptions({
    queryKey: ["operation", system, id, "items", shown, pageSize()],
    queryFn: async ({ pageParam, ...context }): Promise<Page<OperationItem>> => {
      const path = `operations/${encodeURIComponent(id)}/items`;
      const page = await get<Record<string, unknown>>(system, path, { ...shown, limit: pageSize(), cursor: pageParam }, context);
      return { rows: page.items as OperationItem[], next: cursorOf(page) };
    },
    ...paging,
  });
