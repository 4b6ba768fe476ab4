import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import { sumOf } from "../parts/format.ts";
import { endCodes } from "../parts/order_words.ts";
import { failedState } from "../parts/row_kinds.ts";
import { kindOf, rowKinds } from "../systems.ts";
import type { Count, Counts } from "./answers.ts";
import { useLive } from "./live.ts";
import { counts } from "./queries.ts";

/** The counts of each row kind. */
export function useCounts(): UseQueryResult<Counts>[] {
  const live = useLive();
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of kinds never changes
  return rowKinds.map(kind => useQuery({ ...counts(kind), ...live }));
}

const orders = kindOf("orders");
const aborted = failedState(orders).name;

/** The counts of each row kind, without failed rows that need nobody: orders that their client cancelled, or that expired. */
export function useCountsOfConcern(): UseQueryResult<Counts>[] {
  const live = useLive();
  const ended = useQueries({ queries: endCodes.map(fingerprint => ({ ...counts(orders, { fingerprint }), ...live })) });
  const harmless = sumOf(ended.flatMap(({ data }) => data?.counts[aborted] ?? []));
  return useCounts().map((result, index) =>
    rowKinds[index] === orders && result.data ? { ...result, data: withoutSome(result.data, harmless) } : result,
  );
}

function withoutSome(given: Counts, some: Count): Counts {
  const { count = 0, more = false } = given.counts[aborted] ?? {};
  return { ...given, counts: { ...given.counts, [aborted]: { count: Math.max(0, count - some.count), more } } };
}
