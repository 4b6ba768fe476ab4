import type { Tone } from "./row_kinds.ts";

export interface OrderTerms {
  readonly symbol: string;
  readonly side: string;
  readonly quantity: string;
  readonly order_type: string;
  readonly limit_price?: string | null;
}

/** `BUY 10 ACME at market`, `SELL 5 ACME at 12.5 or better`. */
export const orderWords = ({ side, quantity, symbol, order_type, limit_price }: OrderTerms): string =>
  `${side} ${quantity} ${symbol} ${order_type === "LIMIT" ? `at ${limit_price ?? "?"} or better` : "at market"}`;

interface Verdict {
  readonly tone: Tone;
  readonly word: string;
}

export const unknownOutcome: Verdict = { tone: "stale", word: "Outcome unknown" };

const answers: Record<string, Verdict> = {
  succeeded: { tone: "done", word: "executed" },
  retryable: { tone: "retry", word: "not executed" },
  final: { tone: "failed", word: "rejected" },
  unknown: { tone: "stale", word: "outcome unknown" },
  working: { tone: "flight", word: "received, not executed yet" },
  not_known: { tone: "pending", word: "never received" },
  no_answer: { tone: "retry", word: "no answer" },
};

/** A call to the broker in words: `Sent: executed`. */
export function callWords({ kind, outcome }: { readonly kind: string; readonly outcome: string }): Verdict {
  const { tone, word } = answers[outcome] ?? { tone: "failed", word: `unknown result ${outcome}` };
  return { tone, word: `${kind === "ask" ? "Asked" : "Sent"}: ${word}` };
}

// The broker's answer to a question of an operator, as the audit has it; or how that answer settled the order.
const said: Readonly<Record<string, string>> = {
  executed: "executed",
  rejected: "rejected",
  working: "received, not executed yet",
  unknown_to_broker: "never received",
  no_answer: "no answer",
  succeeded: "executed",
  aborted: "rejected",
};

/** What the broker said when an operator asked, if it is known. */
export function brokerSays(detail: unknown): string | undefined {
  const { broker_says, outcome } = (detail ?? {}) as { broker_says?: unknown; outcome?: unknown };
  return said[String(broker_says ?? outcome)];
}

// The client withdrew it, or its time has passed.
const ended: Record<string, string> = {
  CANCELLED: "The client cancelled this order. It is never sent again.",
  EXPIRED: "This order expired before it was sent. It is never sent again.",
};

/** Why an aborted order cannot be requeued, if it cannot. */
export const endOf = (reasonCode: string | null | undefined): string | undefined => ended[reasonCode ?? ""];

/** Whether an aborted order needs a person. One that a person settled as failed does not, although it may be requeued. */
export const needsAttention = (reasonCode: string | null | undefined): boolean => !endOf(reasonCode) && reasonCode !== "RESOLVED_FAILED";
