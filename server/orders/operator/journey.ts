import { actionsOf } from "../../kernel/operator/action_routes.ts";
import { storedKey } from "../order_key.ts";
import type { JourneyOrdersRow, OrdersSql } from "../sql.gen.ts";

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const limit = 20;
// A client is a program with an API key, so there are few.
const mostClients = 1000;

/** A call to the broker. */
export interface JourneyCall {
  readonly number: number;
  readonly kind: "send" | "ask";
  readonly worker: string;
  readonly adapter: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly outcome: "succeeded" | "retryable" | "final" | "unknown" | "working" | "not_known" | "no_answer";
  readonly code: string | null;
  readonly message: string | null;
}

/** A change of the ledger entry's status. The first one is the acceptance. */
export interface JourneyChange {
  readonly entry_id: string;
  readonly at: string;
  readonly actor: string;
  readonly from_status: string | null;
  readonly to_status: string;
  readonly reason: string;
}

/** The members that the statement builds as JSON. */
export interface JourneyParts {
  readonly request: {
    readonly symbol: string;
    readonly side: string;
    readonly quantity: string;
    readonly order_type: string;
    readonly limit_price?: string;
    readonly client_tag?: string;
    readonly expires_at?: string;
  };
  /** Null after the retention of settled orders. */
  readonly outbox: {
    readonly status: string;
    readonly attempts: number;
    readonly outcome_unknown: boolean;
    readonly last_error_code: string | null;
    readonly last_error_msg: string | null;
    readonly next_attempt_at: string;
    readonly expires_at: string | null;
    readonly trace_id: string;
  } | null;
  readonly broker_answer: Readonly<Record<string, unknown>> | null;
  readonly calls: readonly JourneyCall[];
  readonly history: readonly JourneyChange[];
}

/** The orders with this id or key, newest first. Several clients may have used the same key. */
export async function journeyOf(sql: OrdersSql, id: string) {
  const byId = uuidPattern.test(id) ? await sql.journey.orders({ order_id: [id] }) : [];
  if (byId.length > 0) return { matched_by: "order_id", orders: await withActions(sql, byId) };
  const clients = await sql.journey.clients({ limit: mostClients });
  const keys = [id, ...clients.map(({ client_id }) => storedKey(client_id, id))];
  const found = await sql.journey.by_key({ idempotency_key: keys, limit });
  if (found.length === 0) return { matched_by: null, orders: [] };
  const orders = await sql.journey.orders({ order_id: found.map(({ order_id }) => order_id) });
  const matched_by = found.some(({ idempotency_key }) => idempotency_key === id) ? "order_key" : "client_order_key";
  return { matched_by, orders: await withActions(sql, orders) };
}

async function withActions(sql: OrdersSql, orders: readonly JourneyOrdersRow[]) {
  const actions = await actionsOf(
    sql,
    orders.map(({ order_id }) => order_id),
  );
  return orders.map(({ request, outbox, broker_answer, calls, history, ...order }) => ({
    ...order,
    ...({ request, outbox, broker_answer, calls, history } as unknown as JourneyParts),
    actions: actions(order.order_id),
  }));
}
