import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { type Cursors, firstPlace, limitOf, type Place, pageQuery, placeOf, placeText } from "../../kernel/http/cursor.ts";
import { moment, oneOf, textFormat } from "../../kernel/http/text.ts";
import { storedKey } from "../order_key.ts";
import { orderScopes } from "../scopes.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { answers, entryExamples, refusals } from "./api_examples.ts";
import { noSuchOrder } from "./cancel.ts";
import { type Entry, entryOf } from "./entry.ts";
import { keyInPath } from "./placing_routes.ts";
import { type OrderWaits, tooManyOwnWaits, tooManyWait } from "./waits.ts";

const strict = { additionalProperties: false };
const states = ["accepted", "succeeded", "failed"];
const state = oneOf("ledger-status", states);
const waitSeconds = textFormat("wait-seconds", {
  holds: value => /^([1-9]|[12]\d|30)$/.test(value),
  rule: "must be a whole number of seconds from 1 to 30",
});
const defaultWait = "20";

const listQuery = {
  status: Type.Optional(state("only orders in this state")),
  accepted_from: Type.Optional(moment("only orders accepted at this time or later")),
  accepted_to: Type.Optional(moment("only orders accepted before this time")),
  ...pageQuery,
};

export interface ReadOptions {
  readonly ledger: Pick<OrdersSql["ledger"], "find" | "list">;
  readonly waits: OrderWaits;
  /** See `ApiParts`. */
  readonly beginWait: (request: Request, seconds: number) => void;
  readonly requires: Requires;
  readonly cursors: () => Cursors;
}

/** A client's own orders: one, a list, and one as soon as it is settled. */
export function readRoutes({ ledger, waits, beginWait, requires, cursors }: ReadOptions) {
  const keyOf = (request: Request, key: string) => storedKey(callerOf(request).clientId, key);

  async function find(key: string): Promise<Entry> {
    const [row] = await ledger.find({ idempotency_key: [key], settled_only: false });
    if (!row) throw noSuchOrder();
    return entryOf(row);
  }

  return new Elysia({ normalize: false })
    .get("/do/order/:idempotency_key", ({ params, request }) => find(keyOf(request, params.idempotency_key)), {
      params: keyInPath,
      ...requires(orderScopes.read),
      detail: {
        summary: "An order by its key",
        description: "The client's own orders only. Scope: orders:read.",
        responses: { 200: answers("What is recorded now.", entryExamples), ...refusals("/do/order/order-1", noSuchOrder()) },
      },
    })
    .get(
      "/do/order/:idempotency_key/wait",
      async ({ params, query, request }) => {
        const key = keyOf(request, params.idempotency_key);
        const entry = await find(key);
        if (entry.status !== "accepted") return entry;
        const seconds = Number(query.timeout ?? defaultWait);
        beginWait(request, seconds);
        const settled = await waits.wait(callerOf(request).clientId, key, seconds * 1000, request.signal);
        return settled ? entryOf(settled) : find(key);
      },
      {
        params: keyInPath,
        query: Type.Object({ timeout: Type.Optional(waitSeconds(`how long to wait, ${defaultWait} by default`)) }, strict),
        ...requires(orderScopes.read),
        detail: {
          summary: "An order as soon as it is settled",
          description:
            "Answers when the order has succeeded or failed, or after the timeout with what is recorded then: look at status, and wait again. A process that " +
            "stops answers at once. One client may use a quarter of the places of a process. Scope: orders:read.",
          responses: {
            200: answers("What is recorded now.", entryExamples),
            ...refusals("/do/order/order-1/wait", noSuchOrder(), tooManyOwnWaits(125), tooManyWait()),
          },
        },
      },
    )
    .get(
      "/do/orders",
      async ({ query, request }) => {
        const { clientId } = callerOf(request);
        const { status, accepted_from = "-infinity", accepted_to = "infinity", cursor } = query;
        const list = JSON.stringify(["orders", clientId, status ?? null, accepted_from, accepted_to]);
        const before: Place = cursor === undefined ? { at: accepted_to, id: firstPlace.id } : placeOf(cursors().read(list, cursor));
        const limit = limitOf(query);
        const rows = await ledger.list({
          client_id: clientId,
          status: status === undefined ? states : [status],
          before: before.at,
          before_order_id: before.id,
          since: accepted_from,
          limit: limit + 1,
        });
        const orders = rows.slice(0, limit).map(entryOf);
        const last = orders.at(-1);
        if (rows.length <= limit || !last) return { orders };
        return { orders, next_cursor: cursors().make(list, placeText({ at: last.accepted_at, id: last.order_id })) };
      },
      {
        query: Type.Object(listQuery, strict),
        ...requires(orderScopes.read),
        detail: {
          summary: "The client's own orders, newest first, in pages",
          description: "A cursor belongs to its filter: send both again. Scope: orders:read.",
          responses: {
            200: answers("A page.", {
              page: { orders: [entryExamples.succeeded, entryExamples.accepted], next_cursor: "Zk3JtqM1cQ2uH0aVMDFhMWU4ZWY" },
            }),
          },
        },
      },
    );
}
