import { backoff } from "../../kernel/life/backoff.ts";
import type { AskResult, SendResult } from "../broker/adapter.ts";
import type { OrdersClaimRow, OrdersSettleParameters } from "../sql.gen.ts";

export interface Policy {
  readonly maxAttempts: number;
  /** Milliseconds. */
  readonly backoff: number;
  readonly backoffCap: number;
}

/** The calls of one claim, in this order. */
export interface Calls {
  readonly asked?: AskResult | undefined;
  readonly sent?: SendResult | undefined;
  readonly isExpired: boolean;
  /** The broker was asked so soon after the last attempt that its request may still be under way. */
  readonly isEarly: boolean;
}

export type Decision = Pick<
  OrdersSettleParameters,
  "status" | "attempts" | "outcome_unknown" | "asks" | "code" | "message" | "delay_seconds" | "broker_order_id" | "broker_answer"
>;

type Held = Pick<OrdersClaimRow, "attempts" | "asks" | "last_error_code" | "last_error_msg">;

// The longest delay that a broker may ask for.
const longestWait = 3600;

/** What becomes of a claimed order after its calls. */
export function decide(policy: Policy) {
  const seconds = backoff({ base: policy.backoff / 1000, cap: policy.backoffCap / 1000, jitter: [1, 1] });
  const delayAfter = (count: number, retryAfter = 0) => Math.max(seconds(count - 1), Math.min(retryAfter, longestWait));
  const nothing = {
    outcome_unknown: false,
    asks: 0,
    code: null,
    message: null,
    delay_seconds: 0,
    broker_order_id: null,
    broker_answer: null,
  };

  function afterSend(row: Held, sent: SendResult): Decision {
    const attempts = row.attempts + 1;
    if (sent.outcome === "succeeded")
      return { ...nothing, status: "succeeded", attempts, broker_order_id: sent.brokerOrderId, broker_answer: sent.answer };
    const { code, message } = sent;
    const delay_seconds = delayAfter(attempts, sent.retryAfter);
    // Also after the last attempt: only the broker's answer tells whether the order has failed.
    if (sent.outcome === "unknown") return { ...nothing, status: "failed", attempts, outcome_unknown: true, code, message, delay_seconds };
    if (sent.outcome === "final" || attempts >= policy.maxAttempts) return { ...nothing, status: "aborted", attempts, code, message };
    return { ...nothing, status: "failed", attempts, code, message, delay_seconds };
  }

  function afterAsk(row: Held, asked: AskResult, { isExpired, isEarly }: Calls): Decision {
    const { attempts } = row;
    if (asked.outcome === "succeeded")
      return { ...nothing, status: "succeeded", attempts, broker_order_id: asked.brokerOrderId, broker_answer: asked.answer };
    if (asked.outcome === "final") return { ...nothing, status: "aborted", attempts, code: asked.code, message: asked.message };
    // The cause of the unknown outcome stays with the order. The ask is in the list of its calls.
    const cause = { code: row.last_error_code ?? asked.code, message: row.last_error_msg ?? asked.message };
    if (asked.outcome === "not_known") {
      // Too early to be sure, or it could not be sent by this claim. The next one asks again.
      const later = {
        ...nothing,
        status: "failed",
        attempts,
        outcome_unknown: true,
        asks: row.asks,
        ...cause,
        // Never earlier: the next answer would be too early again.
        delay_seconds: Math.max(delayAfter(1), policy.backoff / 1000),
      };
      return isEarly ? later : (afterNothing(row, isExpired) ?? later);
    }
    const asks = row.asks + 1;
    const delay_seconds = delayAfter(asks, asked.retryAfter);
    return { ...nothing, status: "failed", attempts, outcome_unknown: true, asks, ...cause, delay_seconds };
  }

  /** The broker surely has no such order. Undefined if it may be sent. */
  function afterNothing({ attempts, last_error_code, last_error_msg }: Held, isExpired: boolean): Decision | undefined {
    const aborted = { ...nothing, status: "aborted", attempts };
    if (isExpired) return { ...aborted, code: "EXPIRED", message: "expires_at passed before the order was sent" };
    if (attempts < policy.maxAttempts) return undefined;
    return { ...aborted, code: last_error_code ?? "NO_ATTEMPT_LEFT", message: last_error_msg ?? "no attempt is left" };
  }

  return function decideFor(row: Held, calls: Calls): Decision {
    const { sent, asked } = calls;
    if (sent) return afterSend(row, sent);
    if (asked) return afterAsk(row, asked, calls);
    const unsent = afterNothing(row, calls.isExpired);
    if (!unsent) throw new Error("an order that may be sent was neither sent nor released");
    return unsent;
  };
}
