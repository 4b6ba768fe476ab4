import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { verb } from "../../kernel/http/custom_methods.ts";
import { requestContext } from "../../kernel/http/http.ts";
import { idempotencyKey, keyParameter } from "../../kernel/http/idempotency_key.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import { requestKey } from "../../kernel/http/text.ts";
import { orderScopes } from "../scopes.ts";
import { type AcceptOrder, keyConflict } from "./accept.ts";
import { answers, cancelledExample, entryExamples, refusals } from "./api_examples.ts";
import { type CancelOrder, noSuchOrder, notCancellable } from "./cancel.ts";
import { missingPrice, normalForm, OrderBody } from "./order_request.ts";

export const keyInPath = Type.Object({ idempotency_key: requestKey("the client's own key, percent-encoded") });

/** The key of a new order. A URL parser would resolve these two, so that no path could name the order. */
function newKey(request: Request): string {
  const key = idempotencyKey(request);
  if (key === "." || key === "..") throw badRequest("the Idempotency-Key must not be '.' or '..': a URL with it would lead elsewhere");
  return key;
}

export interface PlacingOptions {
  readonly accept: AcceptOrder;
  readonly cancel: CancelOrder;
  readonly requires: Requires;
}

/** Places and cancels orders. The response comes after the commit, and does not wait for the broker. */
export function placingRoutes({ accept, cancel, requires }: PlacingOptions) {
  return new Elysia({ normalize: false })
    .post(
      "/do/order",
      async ({ body, request }) => {
        const key = newKey(request);
        const { traceparent } = requestContext(request).trace;
        const { entry, isNew } = await accept({ clientId: callerOf(request).clientId, key, order: normalForm(body), traceparent });
        return Response.json(entry, { status: isNew ? 202 : 200 });
      },
      {
        body: OrderBody,
        ...requires(orderScopes.write),
        detail: {
          summary: "Place an order",
          description:
            "The first request is answered 202 when the order is stored; it is then sent to the broker. The same order under the same Idempotency-Key is " +
            "answered 200 with what is recorded now, another order 409. A key belongs to its client. Amounts are decimal strings. Two notations of one " +
            "order are the same order: trailing zeros, the zone of expires_at and the order of the members do not count. Scope: orders:write.",
          parameters: [keyParameter],
          responses: {
            202: answers("The order was accepted.", { accepted: entryExamples.accepted }),
            200: answers("The key is known: its entry of now.", entryExamples),
            ...refusals("/do/order", missingPrice(), keyConflict()),
          },
        },
      },
    )
    .post(
      verb("/do/order/:idempotency_key", "cancel"),
      ({ params, request }) => cancel(callerOf(request).clientId, params.idempotency_key),
      {
        params: keyInPath,
        transform: requires(orderScopes.write).transform,
        detail: {
          summary: "Cancel an order that has not been sent",
          description:
            "The order fails with the reason CANCELLED. An order that is being sent, that may have reached the broker, or that is settled is answered 409 " +
            "and left as it is. Cancelling twice is answered twice with 200. Takes no body. Scope: orders:write.",
          responses: {
            200: answers("The order is cancelled.", { cancelled: cancelledExample }),
            ...refusals(
              "/do/order/order-1:cancel",
              noSuchOrder(),
              notCancellable({ status: "accepted", outbox_status: "sending", outcome_unknown: false }),
            ),
          },
        },
      },
    );
}
