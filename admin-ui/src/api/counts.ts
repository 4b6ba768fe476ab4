import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { failedState } from "../parts/row_kinds.ts";
import { kindOf, rowKinds } from "../systems.ts";
import type { Counts } from "./answers.ts";
import { useLive } from "./live.ts";
import { counts, ordersOfConcern } from "./queries.ts";

/** The counts of each row kind. */
export function useCounts(): UseQueryResult<Counts>[] {
  const live = useLive();
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of kinds never changes
  return rowKinds.map(kind => useQuery({ ...counts(kind), ...live }));
}

const orders = kindOf("orders");
const aborted = failedState(orders).name;

/** The counts of each row kind, without failed rows that need nobody: orders that were cancelled, that expired or that a person settled. */
export function useCountsOfConcern(): UseQueryResult<Counts>[] {
  const { data: attention } = useQuery({ ...ordersOfConcern, ...useLive(), select: ({ count, more }) => ({ count, more }) });
  return useCounts().map((result, index) =>
    rowKinds[index] === orders && result.data && attention
      ? { ...result, data: { ...result.data, counts: { ...result.data.counts, [aborted]: attention } } }
      : result,
  );
}
