import type { Book, Execution } from "./book.ts";
import { unlisted } from "./market.ts";
import type { PaperOrder } from "./paper_order.ts";

export interface Rejection {
  readonly state: "rejected";
  readonly reason_code: string;
  readonly message: string;
}

/** Executes or rejects an order that was received. */
export async function work(book: Book, key: string, order: PaperOrder, rejected: boolean): Promise<Execution | Rejection> {
  const rejection = order.symbol === unlisted ? notListed(order.symbol) : rejected ? byFault : undefined;
  if (rejection === undefined) return book.execute(key, order);
  await book.reject(key, rejection.reason_code, rejection.message);
  return rejection;
}

/** Orders that a killed broker had received are executed at its next start: it had accepted them. */
export async function finishReceived(book: Book): Promise<void> {
  await Promise.all(book.unfinished().map(row => work(book, row.key, row, false)));
}

const byFault: Rejection = { state: "rejected", reason_code: "REJECTED", message: "The paper broker rejects this order." };
const notListed = (symbol: string): Rejection => ({
  state: "rejected",
  reason_code: "UNKNOWN_SYMBOL",
  message: `The paper market does not list ${symbol}.`,
});
