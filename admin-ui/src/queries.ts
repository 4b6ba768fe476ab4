import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import {
  type Action,
  ask,
  type Counts,
  call,
  type Filter,
  type FlowSeries,
  type Group,
  type Me,
  type Operation,
  type OperationItem,
  type System,
  type SystemHealth,
} from "./api.ts";
import { without } from "./filter.ts";
import type { Kind, Row } from "./kinds.ts";

interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | undefined;
}

const pageSize = 50;
const paging = { initialPageParam: undefined as string | undefined, getNextPageParam: (page: Page<unknown>) => page.next };
const cursorOf = (page: Record<string, unknown>) => page.next_cursor as string | undefined;

export const me = queryOptions({ queryKey: ["me"], queryFn: () => call<Me>("/v1/me"), staleTime: 60_000 });

/** By state; a state in the filter does not matter. */
export const counts = (kind: Kind, filter: Filter = {}) => {
  const asked = without(filter, "status");
  return queryOptions({
    queryKey: [kind.name, "counts", asked],
    queryFn: ({ signal }) => ask<Counts>(kind.system, `${kind.name}/counts`, { ...asked }, signal),
  });
};

export const list = (kind: Kind, filter: Filter) =>
  infiniteQueryOptions({
    queryKey: [kind.name, "list", filter],
    queryFn: async ({ pageParam, signal }): Promise<Page<Row>> => {
      const page = await ask<Record<string, unknown>>(kind.system, kind.name, { ...filter, limit: pageSize, cursor: pageParam }, signal);
      return { rows: kind.rows(page), next: cursorOf(page) };
    },
    ...paging,
  });

export const detail = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: [kind.name, "one", id],
    queryFn: ({ signal }) => ask<Record<string, unknown>>(kind.system, `${kind.name}/${encodeURIComponent(id)}`, {}, signal),
  });

export const groups = (kind: Kind) =>
  queryOptions({
    queryKey: [kind.name, "groups"],
    queryFn: async ({ signal }) => (await ask<{ groups: Group[] }>(kind.system, `${kind.name}/groups`, {}, signal)).groups,
  });

export const flow = (system: System, minutes: number) =>
  queryOptions({
    queryKey: ["flow", system, minutes],
    queryFn: ({ signal }) => ask<FlowSeries>(system, "flow", { minutes }, signal),
  });

export const health = (system: System) =>
  queryOptions({
    queryKey: ["health", system],
    queryFn: ({ signal }) => ask<SystemHealth>(system, "health", {}, signal),
  });

export const operations = (system: System) =>
  infiniteQueryOptions({
    queryKey: ["operations", system],
    queryFn: async ({ pageParam, signal }): Promise<Page<Operation>> => {
      const page = await ask<Record<string, unknown>>(system, "operations", { limit: pageSize, cursor: pageParam }, signal);
      return { rows: page.operations as Operation[], next: cursorOf(page) };
    },
    ...paging,
  });

export const operation = (system: System, id: string) =>
  queryOptions({
    queryKey: ["operation", system, id],
    queryFn: ({ signal }) => ask<Operation>(system, `operations/${encodeURIComponent(id)}`, {}, signal),
  });

export const operationItems = (system: System, id: string, result: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ["operation", system, id, "items", result],
    queryFn: async ({ pageParam, signal }): Promise<Page<OperationItem>> => {
      const path = `operations/${encodeURIComponent(id)}/items`;
      const page = await ask<Record<string, unknown>>(system, path, { result, limit: pageSize, cursor: pageParam }, signal);
      return { rows: page.items as OperationItem[], next: cursorOf(page) };
    },
    ...paging,
  });

export const actions = (system: System, subject?: string) =>
  infiniteQueryOptions({
    queryKey: ["actions", system, subject],
    queryFn: async ({ pageParam, signal }): Promise<Page<Action>> => {
      const page = await ask<Record<string, unknown>>(system, "actions", { subject, limit: pageSize, cursor: pageParam }, signal);
      return { rows: page.actions as Action[], next: cursorOf(page) };
    },
    ...paging,
  });
