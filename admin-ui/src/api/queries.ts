import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { without } from "../parts/filter.ts";
import type { Kind, Row, Sort } from "../parts/kinds.ts";
import { pageSize } from "../parts/settings.ts";
import {
  type Action,
  ask,
  type Books,
  type ConfigGroup,
  type Configured,
  type Counts,
  call,
  type Filter,
  type FlowSeries,
  type Groups,
  type KeptAnswer,
  type Me,
  type Operation,
  type OperationItem,
  type Parameters,
  type PublishedMessage,
  type RawCounts,
  type RawLetter,
  type RawLetterDetail,
  type System,
  type SystemHealth,
} from "./api.ts";

interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | undefined;
}

const paging = { initialPageParam: undefined as string | undefined, getNextPageParam: (page: Page<unknown>) => page.next };
const cursorOf = (page: Record<string, unknown>) => page.next_cursor as string | undefined;

export const me = queryOptions({ queryKey: ["me"], queryFn: () => call<Me>("/v1/me"), staleTime: 60_000 });

/** Names change seldom, and a list says the same few again and again. */
export const user = (userId: string) =>
  queryOptions({ queryKey: ["user", userId], queryFn: () => call<Me>(`/v1/users/${encodeURIComponent(userId)}`), staleTime: 300_000 });

/** By state; a state in the filter does not matter. */
export const counts = (kind: Kind, filter: Filter = {}) => {
  const asked = without(filter, "status");
  return queryOptions({
    queryKey: [kind.name, "counts", asked],
    queryFn: asking => ask<Counts>(kind.system, `${kind.name}/counts`, { ...asked }, asking),
  });
};

export const list = (kind: Kind, filter: Filter, sort: Sort | undefined) =>
  infiniteQueryOptions({
    queryKey: [kind.name, "list", filter, sort, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<Row>> => {
      const asked = { ...filter, sort, limit: pageSize(), cursor: pageParam };
      const page = await ask<Record<string, unknown>>(kind.system, kind.name, asked, asking);
      return { rows: kind.rows(page), next: cursorOf(page) };
    },
    ...paging,
  });

export const detail = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: [kind.name, "one", id],
    queryFn: asking => ask<Record<string, unknown>>(kind.system, `${kind.name}/${encodeURIComponent(id)}`, {}, asking),
  });

export const groups = (kind: Kind, status: "FAILED" | "RETRYING") =>
  queryOptions({
    queryKey: [kind.name, "groups", status],
    queryFn: asking => ask<Groups>(kind.system, `${kind.name}/groups`, { status }, asking),
  });

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

export const operations = (system: System) =>
  infiniteQueryOptions({
    queryKey: ["operations", system, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<Operation>> => {
      const page = await ask<Record<string, unknown>>(system, "operations", { limit: pageSize(), cursor: pageParam }, asking);
      return { rows: page.operations as Operation[], next: cursorOf(page) };
    },
    ...paging,
  });

export const operation = (system: System, id: string) =>
  queryOptions({
    queryKey: ["operation", system, id],
    queryFn: asking => ask<Operation>(system, `operations/${encodeURIComponent(id)}`, {}, asking),
  });

/** By what the operation did, or by what became of the row since. */
export const operationItems = (system: System, id: string, shown: { result?: string; outcome?: string }) =>
  infiniteQueryOptions({
    queryKey: ["operation", system, id, "items", shown, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<OperationItem>> => {
      const path = `operations/${encodeURIComponent(id)}/items`;
      const page = await ask<Record<string, unknown>>(system, path, { ...shown, limit: pageSize(), cursor: pageParam }, asking);
      return { rows: page.items as OperationItem[], next: cursorOf(page) };
    },
    ...paging,
  });

export const actions = (system: System, filter: Parameters = {}) =>
  infiniteQueryOptions({
    queryKey: ["actions", system, filter, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<Action>> => {
      const page = await ask<Record<string, unknown>>(system, "actions", { ...filter, limit: pageSize(), cursor: pageParam }, asking);
      return { rows: page.actions as Action[], next: cursorOf(page) };
    },
    ...paging,
  });

/** Everybody who used a key. */
export const idempotency = (key: string) =>
  queryOptions({
    queryKey: ["idempotency", key],
    queryFn: async asking => (await ask<{ keys: KeptAnswer[] }>("entitlement", `idempotency/${encodeURIComponent(key)}`, {}, asking)).keys,
  });

export const consistency = (system: System) =>
  queryOptions({ queryKey: ["consistency", system], queryFn: asking => ask<Books>(system, "consistency", {}, asking) });

export const config = (system: Configured) =>
  queryOptions({
    queryKey: ["config", system],
    queryFn: async asking => (await ask<{ groups: ConfigGroup[] }>(system, "config", {}, asking)).groups,
    staleTime: 60_000,
  });

/** Messages that could not be read: those still open, or all. */
export const rawLetters = (which?: "all") =>
  infiniteQueryOptions({
    queryKey: ["raw letters", which, pageSize()],
    queryFn: async ({ pageParam, ...asking }): Promise<Page<RawLetter>> => {
      const asked = { which, limit: pageSize(), cursor: pageParam };
      const page = await ask<Record<string, unknown>>("notification", "raw-dead-letters", asked, asking);
      return { rows: page.raw_dead_letters as RawLetter[], next: cursorOf(page) };
    },
    ...paging,
  });

export const rawCounts = queryOptions({
  queryKey: ["raw letters", "counts"],
  queryFn: asking => ask<RawCounts>("notification", "raw-dead-letters/counts", {}, asking),
});

export const rawLetter = (id: string) =>
  queryOptions({
    queryKey: ["raw letter", id],
    queryFn: asking => ask<RawLetterDetail>("notification", `raw-dead-letters/${encodeURIComponent(id)}`, {}, asking),
  });

/** It changes only when it goes out again. */
export const message = (eventId: string) =>
  queryOptions({
    queryKey: ["message", eventId],
    queryFn: asking => ask<PublishedMessage>("entitlement", `outbox/${encodeURIComponent(eventId)}/message`, {}, asking),
    staleTime: 30_000,
  });
