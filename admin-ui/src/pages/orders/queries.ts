import type { Action } from "../../api/answers.ts";
import { detail, type UnknownOrder } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

/** A call to the broker. */
export interface BrokerCall {
  readonly number: number;
  readonly kind: string;
  readonly worker: string;
  readonly adapter: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly outcome: string;
  readonly code: string | null;
  readonly message: string | null;
}

/** A change of the ledger entry's status. The first one is the acceptance. */
export interface LedgerChange {
  readonly entry_id: string;
  readonly at: string;
  readonly actor: string;
  readonly from_status: string | null;
  readonly to_status: string;
  readonly reason: string;
}

export interface Ledger {
  readonly status: string;
  readonly reason_code: string | null;
  readonly reason: string | null;
  readonly broker_order_id: string | null;
  readonly broker_answer: unknown;
  readonly accepted_at: string;
  readonly settled_at: string | null;
  readonly request_digest: string;
}

export interface OrderDetail extends UnknownOrder {
  readonly calls: readonly BrokerCall[];
  readonly history: readonly LedgerChange[];
  readonly ledger: Ledger;
  readonly actions: readonly Action[];
}

export interface AskAnswer {
  readonly answer: "executed" | "rejected" | "working" | "unknown_to_broker" | "no_answer";
  readonly status: string;
  readonly outcome_unknown: boolean;
  readonly broker_order_id?: string;
  readonly reason_code?: string;
  readonly message?: string;
}

export const orderDetail = (id: string) => detail<OrderDetail>(kindOf("orders"), id);
