import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { FirstFailure } from "../parts/action_risks.ts";
import { without } from "../parts/filter.ts";
import { endOf, needsAttention } from "../parts/order_words.ts";
import { failedState, type Row, rowOf, type Sort } from "../parts/row_kinds.ts";
import { pageSize } from "../parts/settings.ts";
import type { Kind, System } from "../systems.ts";
import type {
  Consistency,
  Counts,
  Filter,
  Groups,
  Me,
  Operation,
  OrdersOfConcern,
  PublishedMessage,
  RawDeadLetterCounts,
  TraceViewer,
  UnknownOrdersPage,
  User,
} from "./answers.ts";
import { call, get } from "./client.ts";

interface Page<T> {
  readonly rows: readonly T[];
  readonly next: string | undefined;
}

const paging = { initialPageParam: undefined as string | undefined, getNextPageParam: (page: Page<unknown>) => page.next };
const cursorOf = (page: Record<string, unknown>) => page.next_cursor as string | undefined;

/** Paging for queries that keep the response as it is, with its `next_cursor`. */
export const byCursor = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { readonly next_cursor?: string }) => page.next_cursor,
};
export const userPath = (user: string, rest: string) => `users/${encodeURIComponent(user)}/${rest}`;

export const me = queryOptions({ queryKey: ["me"], queryFn: () => call<Me>("/v1/me"), staleTime: 60_000 });

/** A setting of the gateway: it changes only with a restart. */
export const traceViewer = queryOptions({
  queryKey: ["trace viewer"],
  queryFn: ({ signal }) => call<TraceViewer>("/admin/api/gateway/trace-viewer", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Cached for long: names rarely change, and lists repeat the same few users. */
export const user = (userId: string) =>
  queryOptions({ queryKey: ["user", userId], queryFn: () => call<Me>(`/v1/users/${encodeURIComponent(userId)}`), staleTime: 300_000 });

export const account = (userId: string) =>
  queryOptions({
    queryKey: ["account", userId],
    queryFn: ({ signal }) => call<User>(`/v1/users/${encodeURIComponent(userId)}`, { signal }),
  });

/** Counts by state. The state of the filter is ignored. */
export const counts = (kind: Kind, filter: Filter = {}) => {
  const parameters = without(filter, "status");
  return queryOptions({
    queryKey: [kind.name, "counts", parameters],
    queryFn: context => get<Counts>(kind.system, `${kind.name}/counts`, { ...parameters }, context),
  });
};

export const list = (kind: Kind, filter: Filter, sort: Sort | undefined) =>
  infiniteQueryOptions({
    queryKey: [kind.name, "list", filter, sort, pageSize()],
    queryFn: async ({ pageParam, ...context }): Promise<Page<Row>> => {
      const parameters = { ...filter, sort, limit: pageSize(), cursor: pageParam };
      const page = await get<Record<string, unknown>>(kind.system, kind.name, parameters, context);
      return { rows: (page[kind.rows] as Record<string, unknown>[]).map(row => rowOf(kind, row)), next: cursorOf(page) };
    },
    ...paging,
  });

export const detail = <T>(kind: Kind, id: string) =>
  queryOptions({
    queryKey: [kind.name, "one", id],
    queryFn: context => get<T>(kind.system, `${kind.name}/${encodeURIComponent(id)}`, {}, context),
  });

/** Groups of failures. Those of orders have a reason code. Only aborted orders that need attention are failures. */
export const groups = (kind: Kind, status: string) =>
  queryOptions({
    queryKey: [kind.name, "groups", status],
    queryFn: async (context): Promise<Groups> => {
      const answer = await get<Groups>(kind.system, `${kind.name}/groups`, { status }, context);
      if (kind.name !== "orders") return answer;
      const named = answer.groups.map(group => ({ ...group, sample_error: `${group.fingerprint}: ${group.sample_error}` }));
      const isFailure = (code: string) => status !== failedState(kind).name || needsAttention(code);
      return { ...answer, groups: named.filter(({ fingerprint }) => isFailure(fingerprint)) };
    },
  });

/** When the first of the failed rows of a filter failed. */
export const firstFailure = (kind: Kind, filter: Filter) =>
  queryOptions({
    queryKey: [kind.name, "first failure", filter],
    queryFn: async (context): Promise<FirstFailure> => {
      const parameters = { ...filter, status: failedState(kind).name };
      const { groups: all, more } = await get<Groups>(kind.system, `${kind.name}/groups`, parameters, context);
      const groups = all.filter(({ fingerprint }) => !endOf(fingerprint));
      return { at: groups.map(({ first_at }) => first_at).toSorted()[0], mayBeEarlier: more || groups.some(group => group.more) };
    },
  });

export const operations = (system: System) =>
  infiniteQueryOptions({
    queryKey: ["operations", system, pageSize()],
    queryFn: ({ pageParam, ...context }) =>
      get<{ operations: Operation[]; next_cursor?: string }>(system, "operations", { limit: pageSize(), cursor: pageParam }, context),
    ...byCursor,
  });

export const operation = (system: System, id: string) =>
  queryOptions({
    queryKey: ["operation", system, id],
    queryFn: context => get<Operation>(system, `operations/${encodeURIComponent(id)}`, {}, context),
  });

export const consistency = (system: System) =>
  queryOptions({ queryKey: ["consistency", system], queryFn: context => get<Consistency>(system, "consistency", {}, context) });

/** The orders with an unknown outcome, oldest first. */
export const unknownOrders = () =>
  infiniteQueryOptions({
    queryKey: ["orders", "unknown", pageSize()],
    queryFn: ({ pageParam, ...context }) =>
      get<UnknownOrdersPage>("orders", "orders/unknown", { limit: pageSize(), cursor: pageParam }, context),
    ...byCursor,
  });

/** How many aborted orders need attention, and how many outcomes are unknown. */
export const ordersOfConcern = queryOptions({
  queryKey: ["orders", "attention"],
  queryFn: context => get<OrdersOfConcern>("orders", "orders/attention", {}, context),
});

export const rawDeadLetterCounts = queryOptions({
  queryKey: ["raw dead letters", "counts"],
  queryFn: context => get<RawDeadLetterCounts>("notification", "raw-dead-letters/counts", {}, context),
});

/** The message changes only when the event is republished. */
export const message = (eventId: string) =>
  queryOptions({
    queryKey: ["message", eventId],
    queryFn: context => get<PublishedMessage>("entitlement", `outbox/${encodeURIComponent(eventId)}/message`, {}, context),
    staleTime: 30_000,
  });
