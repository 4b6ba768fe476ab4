import type { PaperOrder } from "./paper_order.ts";

/** The one symbol that the paper market does not list: orders for it are rejected. */
export const unlisted = "UNKNOWN";

/** A made-up price from 1.00 to 500.99. It depends on the symbol only, so that it is the same at every start. */
export function priceOf(symbol: string): string {
  const number = Number(BigInt(Bun.hash(symbol)) % 50_000n);
  return `${1 + Math.floor(number / 100)}.${String(number % 100).padStart(2, "0")}`;
}

/** The price if the order is filled at once; undefined if it stays open. */
export function fillPrice({ symbol, side, limit_price }: PaperOrder): string | undefined {
  const price = priceOf(symbol);
  if (limit_price === null) return price;
  const room = scaled(limit_price) - scaled(price);
  return (side === "BUY" ? room >= 0n : room <= 0n) ? price : undefined;
}

/** Ten decimals, as many as an amount may have. */
function scaled(amount: string): bigint {
  const [whole = "", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(10, "0"));
}
