import { useQuery } from "@tanstack/react-query";
import type { OrdersUnknownRow as UnknownOrder } from "../../../server/orders/sql.gen.ts";
import type { Count } from "./answers.ts";
import { useLive } from "./live.ts";
import { unknownOrders } from "./queries.ts";

export interface UnknownOrders {
  readonly count: Count;
  /** The oldest ones. */
  readonly orders: readonly UnknownOrder[];
}

/** The orders with an unknown outcome. The badge, the headline and the list use the same answer, so that they never differ. */
export const useUnknownOrders = () =>
  useQuery({
    ...unknownOrders,
    ...useLive(),
    select: ({ orders, next_cursor }): UnknownOrders => ({
      count: { count: orders.length, more: next_cursor !== undefined },
      orders,
    }),
  });
