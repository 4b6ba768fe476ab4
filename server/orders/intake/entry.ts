import { clientKey } from "../order_key.ts";
import type { LedgerFindRow, LedgerListRow } from "../sql.gen.ts";
import type { OrderRequest } from "./order_request.ts";

/** A ledger entry as its client sees it. Members without a value are left out. */
export interface Entry {
  readonly idempotency_key: string;
  readonly order_id: string;
  readonly status: "accepted" | "succeeded" | "failed";
  readonly order: OrderRequest;
  readonly request_digest: string;
  readonly accepted_at: string;
  readonly settled_at?: string;
  readonly attempts: number;
  readonly outbox_status?: "pending" | "sending" | "failed" | "succeeded" | "aborted";
  readonly outcome_unknown: boolean;
  readonly reason_code?: string;
  readonly reason?: string;
  readonly broker_order_id?: string;
  readonly broker_answer?: unknown;
}

export function entryOf({ idempotency_key, order_request_json, ...row }: LedgerFindRow | LedgerListRow): Entry {
  const { order_id, status, request_digest, accepted_at, attempts, outcome_unknown, ...optional } = row;
  const known = Object.entries(optional).filter(([, value]) => value !== null);
  const order = inFixedOrder(order_request_json as unknown as OrderRequest);
  return {
    idempotency_key: clientKey(idempotency_key),
    order_id,
    status: status as Entry["status"],
    order,
    request_digest,
    accepted_at,
    attempts,
    outcome_unknown,
    ...Object.fromEntries(known),
  };
}

const members = ["symbol", "side", "quantity", "order_type", "limit_price", "client_tag", "expires_at"] as const;

/** The members as they were sent; the database stores them in an order of its own. */
const inFixedOrder = (order: OrderRequest): OrderRequest =>
  Object.fromEntries(members.flatMap(name => (order[name] === undefined ? [] : [[name, order[name]]]))) as OrderRequest;
