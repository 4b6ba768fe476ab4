import type { Book, BookRow } from "./book.ts";
import { type Dice, diceFor, type Faults } from "./faults.ts";
import { type Answer, json, problem } from "./http.ts";
import { readKey, readOrder } from "./paper_order.ts";
import { work } from "./work.ts";

const unavailable = () => problem(503, "UNAVAILABLE", "The paper broker is not available.");
const broken = () => problem(500, "INTERNAL_ERROR", "The paper broker failed.");

/** Executes an order. It does not compare keys: a second POST of a key is a second execution. */
export async function placeOrder(book: Book, faults: Faults, key: string | undefined, body: string): Promise<Answer> {
  const known = readKey(key);
  const order = readOrder(body);
  const dice = diceFor(faults, order.symbol);
  const refusal = refused(dice, faults.retry_after_s ?? 1);
  if (refusal !== undefined) return refusal;
  await book.receive(known, order);
  // A client that goes away during the delay does not stop the execution.
  await pause(dice.delay());
  const outcome = await work(book, known, order, dice.falls("reject"));
  if (outcome.state === "rejected") return problem(422, outcome.reason_code, outcome.message);
  if (dice.falls("drop_after")) return "cut";
  if (dice.falls("fail_500_after")) return broken();
  return json(201, { ...outcome, quantity: order.quantity });
}

/** Nothing is recorded of these. */
function refused(dice: Dice, retryAfter: number): Answer | undefined {
  if (dice.falls("drop_before")) return "cut";
  if (dice.falls("too_many")) {
    return problem(429, "TOO_MANY_REQUESTS", "The paper broker gets too many orders.", { "retry-after": String(retryAfter) });
  }
  if (dice.falls("fail_503")) return unavailable();
  if (dice.falls("fail_500")) return broken();
  return undefined;
}

export async function askOrder(book: Book, faults: Faults, key: string): Promise<Answer> {
  const known = readKey(key);
  if (faults.asks_too) {
    const dice = diceFor(faults, (await book.find(known))?.symbol);
    if (dice.falls("drop_before")) return "cut";
    if (dice.falls("fail_503")) return unavailable();
    await pause(dice.delay());
  }
  const row = await book.find(known);
  return row ? json(200, stateOf(row)) : problem(404, "UNKNOWN_ORDER", "The paper broker has no order with this key.");
}

/** Without the members that have no value. */
function stateOf({ state, broker_order_id, price, quantity, executed_at, reason_code, message, executions }: BookRow): object {
  const members = { state, broker_order_id, price, quantity, executed_at, reason_code, message, executions };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

const pause = (ms: number) => (ms > 0 ? Bun.sleep(ms) : Promise.resolve());
