import type { OrderDetail as OrderAnswer } from "../../../../server/orders/operator/order_routes.ts";
import type { Answered } from "../../../../server/orders/operator/resolution.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

interface Ledger {
  readonly status: string;
  readonly reason_code: string | null;
  readonly reason: string | null;
  readonly broker_order_id: string | null;
  readonly broker_answer: unknown;
  readonly settled_at: string | null;
}

export type OrderDetail = Omit<OrderAnswer, "ledger"> & { readonly ledger: Ledger | null };

export type AskAnswer = Answered;

export const orderDetail = (id: string) => detail<OrderDetail>(kindOf("orders"), id);
