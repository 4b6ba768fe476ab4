import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { rowKinds } from "../systems.ts";
import type { Counts } from "./answers.ts";
import { useLive } from "./live.ts";
import { counts } from "./queries.ts";

/** The counts of each row kind. */
export function useCounts(): UseQueryResult<Counts>[] {
  const live = useLive();
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of kinds never changes
  return rowKinds.map(kind => useQuery({ ...counts(kind), ...live }));
}
