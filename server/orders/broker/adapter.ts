/** An order as a broker gets it: the normal form of the request, without what only Kenri uses. */
export interface BrokerOrder {
  readonly key: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly quantity: string;
  readonly order_type: "MARKET" | "LIMIT";
  readonly limit_price?: string;
  readonly client_tag?: string;
}

/** The broker took the order. */
export interface Executed {
  readonly outcome: "succeeded";
  readonly brokerOrderId: string;
  /** What the broker answered, as it is stored. */
  readonly answer: Record<string, string | number>;
}

/** Why an order was not taken, as far as the broker says. */
export interface NotExecuted<Outcome extends string> {
  readonly outcome: Outcome;
  /** A reason code: the broker's own, or one of this adapter. */
  readonly code: string;
  readonly message: string;
  /** The broker's Retry-After, in seconds. */
  readonly retryAfter?: number;
}

/** `retryable` and `final`: surely not executed. `unknown`: the order may have been executed. */
export type SendResult = Executed | NotExecuted<"retryable"> | NotExecuted<"final"> | NotExecuted<"unknown">;

/** `working`: the broker has the order and has not executed it yet. `not_known`: it never got it. `no_answer`: the broker could not be asked. */
export type AskResult = Executed | NotExecuted<"final"> | NotExecuted<"working"> | NotExecuted<"not_known"> | NotExecuted<"no_answer">;

/** A broker. A second broker is one more file with this interface, and its name in adapters.ts. Neither call throws; both end in time. */
export interface Adapter {
  readonly name: string;
  /** `traceparent`: the span that the call belongs to. */
  send(order: BrokerOrder, giveUp: AbortSignal, traceparent?: string): Promise<SendResult>;
  ask(key: string, giveUp: AbortSignal, traceparent?: string): Promise<AskResult>;
  /** Asks the broker for an order that cannot exist. Undefined if it answers as it should, otherwise what is seen. */
  probe(): Promise<string | undefined>;
}
