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
  /** When the oldest one was accepted. */
  readonly oldest: string | undefined;
}

/** The count and the age. A list that fails does not hide the count. */
export function useUnknownOrders() {
  const [counted, listed] = [useUnknownCount(), useUnknownList()];
  const data: UnknownOrders | undefined = counted.data && { count: counted.data, oldest: listed.data?.pages[0]?.orders[0]?.unknown_since };
  return { data, error: counted.error ?? listed.error, dataUpdatedAt: counted.dataUpdatedAt };
}
