import { useQuery } from "@tanstack/react-query";
import type { RowAction, RowKind } from "../../../server/kernel/operator/row_kind.ts";
import type { Role } from "./answers.ts";
import * as queries from "./queries.ts";

const order: readonly Role[] = ["USER", "VIEWER", "OPERATOR", "ADMIN"];

/** The highest role of the signed-in user. The services authorize; the console only hides refused actions. */
export function useRole(): Role {
  const { data } = useQuery(queries.me);
  return order.findLast(role => data?.roles.includes(role)) ?? "USER";
}

export const useCan = (role: Role): boolean => order.indexOf(useRole()) >= order.indexOf(role);

/** Whether the kind offers the action and the role of the user is enough for it. */
export function useMay({ actions }: RowKind, action: RowAction): boolean {
  const role = actions[action];
  return useCan(role ?? "ADMIN") && role !== undefined;
}
