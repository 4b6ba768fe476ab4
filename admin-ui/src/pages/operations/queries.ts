import { infiniteQueryOptions } from "@tanstack/react-query";
import type { operationRoutes } from "../../../../server/kernel/operator/operation_routes.ts";
import type { Answer, Narrow, OutcomeName } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import { byCursor } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";
import type { System } from "../../systems.ts";

type Page = Answer<typeof operationRoutes, "ops/operations/:operation_id/items">;
export type OperationItem = Narrow<
  Page["items"][number],
  { result: "PENDING" | "DONE" | "SKIPPED" | "FAILED"; outcome: OutcomeName | null }
>;

/** Filtered by the result of the action, or by the current outcome of the row. */
export const operationItems = (system: System, id: string, shown: { result?: string; outcome?: string }) =>
  infiniteQueryOptions({
    queryKey: ["operation", system, id, "items", shown, pageSize()],
    queryFn: ({ pageParam, ...context }) => {
      const path = `operations/${encodeURIComponent(id)}/items`;
      const parameters = { ...shown, limit: pageSize(), cursor: pageParam };
      return get<Omit<Page, "items"> & { items: OperationItem[] }>(system, path, parameters, context);
    },
    ...byCursor,
  });
