import { infiniteQueryOptions } from "@tanstack/react-query";
import type { actionRoutes } from "../../../../server/kernel/operator/action_routes.ts";
import type { Action, Answer } from "../../api/answers.ts";
import { get, type Parameters } from "../../api/client.ts";
import { byCursor } from "../../api/queries.ts";
import { pageSize } from "../../parts/settings.ts";
import type { WatchedSystem } from "../../systems.ts";

type Page = Answer<typeof actionRoutes<Action>, "ops/actions">;

export const actions = (system: WatchedSystem, filter: Parameters = {}) =>
  infiniteQueryOptions({
    queryKey: ["actions", system, filter, pageSize()],
    queryFn: ({ pageParam, ...context }) => get<Page>(system, "actions", { ...filter, limit: pageSize(), cursor: pageParam }, context),
    ...byCursor,
  });
