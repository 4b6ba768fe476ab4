import { type Static, Type } from "@sinclair/typebox";
import { sha256 } from "../../kernel/http/auth.ts";
import { idProblem, idRule } from "../../kernel/http/identifier.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import { moment, oneOf, textFormat } from "../../kernel/http/text.ts";

const amount = textFormat("amount", {
  holds: value => /^(0|[1-9]\d{0,17})(\.\d{1,10})?$/.test(value) && /[1-9]/.test(value),
  rule: 'must be a decimal string above 0, not a number, with at most 18 digits before the point and 10 after it, such as "12.5"',
});
const symbol = textFormat("symbol", {
  holds: value => /^[A-Z0-9._-]{1,32}$/.test(value),
  rule: "must be 1 to 32 characters of A-Z, 0-9, '.', '_' and '-'",
});
const tag = textFormat("id-64", {
  holds: value => value.trim() !== "" && [...value].length <= 64 && idProblem(value) === undefined,
  rule: `must be 1 to 64 characters, ${idRule}`,
  problem: idProblem,
});
const side = oneOf("side", ["BUY", "SELL"]);
const orderType = oneOf("order-type", ["MARKET", "LIMIT"]);

/** OrderRequest v1.1. */
export const OrderBody = Type.Object(
  {
    symbol: symbol("what is bought or sold"),
    side: side("the direction"),
    quantity: amount("how much"),
    order_type: orderType("at the price of the market, or at a limit"),
    limit_price: Type.Optional(amount("the worst price; required for a LIMIT order, not allowed for a MARKET order")),
    client_tag: Type.Optional(tag("any text of the client")),
    expires_at: Type.Optional(moment("the order is not sent after this; in the future, at most 90 days ahead")),
  },
  { additionalProperties: false },
);

export type OrderRequest = Static<typeof OrderBody>;

/** How far ahead expires_at may be. */
export const longestLife = 90 * 86_400;

const refusal = (pointer: string, detail: string) =>
  badRequest(`the body is not valid: ${pointer} ${detail}`, { errors: [{ pointer, detail }] });

export const missingPrice = () => refusal("/limit_price", "is required for a LIMIT order");

/** The refusal of an expires_at that has passed or is too far away, by the time of the database. */
export const notInTime = () => refusal("/expires_at", "must be in the future, at most 90 days ahead");

/** An order in the form that is stored, digested and sent. Two notations of one order have one normal form. Refuses what no schema of one field can. */
export function normalForm({ symbol, side, quantity, order_type, limit_price, client_tag, expires_at }: OrderRequest): OrderRequest {
  if (order_type === "LIMIT" && limit_price === undefined) throw missingPrice();
  if (order_type === "MARKET" && limit_price !== undefined) throw refusal("/limit_price", "is not allowed for a MARKET order");
  return {
    symbol,
    side,
    quantity: shortest(quantity),
    order_type,
    ...(limit_price === undefined ? {} : { limit_price: shortest(limit_price) }),
    ...(client_tag === undefined ? {} : { client_tag }),
    ...(expires_at === undefined ? {} : { expires_at: inUtc(expires_at) }),
  };
}

/** SHA-256 of the text of a normal form. */
export const digestOf = (order: OrderRequest): string => sha256(JSON.stringify(order)).toString("hex");

/** An amount without the zeros at the end of its fraction. */
const shortest = (amount: string): string => amount.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");

/** A time in UTC with microseconds. */
function inUtc(time: string): string {
  const [, whole = "", fraction = "", zone = ""] = /^(.{19})(?:\.(\d+))?(.+)$/.exec(time) ?? [];
  const utc = new Date(`${whole}${zone}`).toISOString();
  // Beside these years a zone may lead to a year that the database does not read.
  if (!utc.startsWith("2")) throw notInTime();
  return `${utc.slice(0, 19)}.${fraction.padEnd(6, "0")}Z`;
}
