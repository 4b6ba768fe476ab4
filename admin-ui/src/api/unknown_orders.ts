import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { Count } from "./answers.ts";
import { useLive } from "./live.ts";
import { ordersOfConcern, unknownOrders } from "./queries.ts";

/** How many outcomes are unknown. The badge, the headline, the card and the section use this count, so that they never differ. */
export const useUnknownCount = () => useQuery({ ...ordersOfConcern, ...useLive(), select: ({ unknown }) => unknown });

/** The pages of orders with an unknown outcome that are shown, oldest first. */
export const useUnknownList = () => useInfiniteQuery({ ...unknownOrders(), ...useLive() });

export interface UnknownOrders {
  readonly count: Count;
  /** Since when an outcome is unknown, of the oldest orders. */
  readonly oldest: string | undefined;
}

/** The count and the age. A list that fails does not hide the count. */
export function useUnknownOrders() {
  const [counted, listed] = [useUnknownCount(), useUnknownList()];
  const since = listed.data?.pages.flatMap(({ orders }) => orders.map(order => order.unknown_since)).sort() ?? [];
  const data: UnknownOrders | undefined = counted.data && { count: counted.data, oldest: since[0] };
  return { data, error: counted.error ?? listed.error, dataUpdatedAt: counted.dataUpdatedAt };
}
