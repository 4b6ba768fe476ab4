/** A request that the paper broker refuses: the message is for the caller. */
export class Refused extends Error {}

/** An order as the broker gets it: amounts are decimal strings. */
export interface PaperOrder {
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly quantity: string;
  readonly order_type: "MARKET" | "LIMIT";
  readonly limit_price: string | null;
  readonly client_tag: string | null;
}

const members = ["symbol", "side", "quantity", "order_type", "limit_price", "client_tag"];
const amountForm = /^(0|[1-9]\d{0,17})(\.\d{1,10})?$/;

export function readOrder(text: string): PaperOrder {
  const body = readObject(text, members);
  const symbol = matching(body, "symbol", /^[A-Z0-9._-]{1,32}$/, "1 to 32 characters of A-Z, 0-9, dot, underscore and hyphen");
  const side = oneOf(body, "side", ["BUY", "SELL"] as const);
  const order_type = oneOf(body, "order_type", ["MARKET", "LIMIT"] as const);
  const quantity = amount(body, "quantity");
  const isLimit = order_type === "LIMIT";
  if (isLimit !== (body.limit_price !== undefined && body.limit_price !== null)) {
    throw new Refused("limit_price: a LIMIT order needs one, and a MARKET order has none.");
  }
  return {
    symbol,
    side,
    quantity,
    order_type,
    limit_price: isLimit ? amount(body, "limit_price") : null,
    client_tag: (body.client_tag ?? null) === null ? null : matching(body, "client_tag", /^[^\0]{1,255}$/u, "1 to 255 characters"),
  };
}

/** Keys are visible ASCII. A stored key is longer than a client's: it has the client's name in it. */
export function readKey(key: string | undefined): string {
  if (key === undefined || !/^[\x21-\x7e]{1,2048}$/.test(key)) {
    throw new Refused("Idempotency-Key: send 1 to 2048 visible ASCII characters.");
  }
  return key;
}

/** A JSON object without other members than these. */
export function readObject(text: string, known: readonly string[]): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refused("The body is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Refused("The body is not a JSON object.");
  const unknown = Object.keys(value).find(name => !known.includes(name));
  if (unknown !== undefined) throw new Refused(`${unknown}: no such member; there are ${known.join(", ")}.`);
  return value as Record<string, unknown>;
}

function matching(body: Record<string, unknown>, name: string, form: RegExp, expected: string): string {
  const value = body[name];
  if (typeof value !== "string" || !form.test(value)) throw new Refused(`${name}: send a string of ${expected}.`);
  return value;
}

function oneOf<Value extends string>(body: Record<string, unknown>, name: string, values: readonly Value[]): Value {
  const found = values.find(value => value === body[name]);
  if (found === undefined) throw new Refused(`${name}: send ${values.join(" or ")}.`);
  return found;
}

function amount(body: Record<string, unknown>, name: string): string {
  const value = matching(body, name, amountForm, "a decimal number with at most 18 digits before the point and 10 after it");
  if (!/[1-9]/.test(value)) throw new Refused(`${name}: send a number above 0.`);
  return value;
}
