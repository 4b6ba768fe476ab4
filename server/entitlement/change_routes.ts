import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { sha256 } from "../kernel/auth.ts";
import { callerOf, type Requires } from "../kernel/callers.ts";
import { visitOf } from "../kernel/http.ts";
import { idempotencyKey } from "../kernel/idempotency_key.ts";
import { Problem } from "../kernel/problem.ts";
import { text, textWithoutColon } from "../kernel/text.ts";
import type { Answer, Change, Changes } from "./changes.ts";

const ChangeRequest = Type.Object(
  {
    user_id: text("whose entitlement it is"),
    stock_keeping_unit: textWithoutColon("what is granted or revoked"),
    reason: text("why, e.g. purchase or refund"),
    purchase_id: text("the business record behind it"),
  },
  { additionalProperties: false },
);

const ttlText = (milliseconds: number) => (milliseconds % 3_600_000 === 0 ? `${milliseconds / 3_600_000} h` : `${milliseconds / 1000} s`);

/** POST /v1/entitlements/grants and /revokes: the answer is committed truth. */
export function changeRoutes(changes: Changes, requires: Requires, idempotencyTtl: number) {
  const options = (summary: string) => ({
    body: ChangeRequest,
    ...requires("entitlements:write"),
    detail: {
      summary,
      description:
        `Send an Idempotency-Key; the same key with the same request within ${ttlText(idempotencyTtl)} gets the stored answer byte for byte with Idempotency-Replayed: true, ` +
        "with another request 409 IDEMPOTENCY_KEY_CONFLICT. To the state it already has: 409 ENTITLEMENT_STATE_CONFLICT. Scope: entitlements:write.",
      parameters: [
        {
          name: "Idempotency-Key",
          in: "header" as const,
          required: true,
          schema: { type: "string" as const, description: "1 to 255 visible ASCII characters" },
        },
      ],
    },
  });
  const change = (target: Change["target"], route: string) => async (context: { body: typeof ChangeRequest.static; request: Request }) => {
    const { body, request } = context;
    const key = idempotencyKey(request);
    const answer = await changes.submit({
      clientId: callerOf(request).clientId,
      route,
      key,
      requestHash: sha256(JSON.stringify([body.user_id, body.stock_keeping_unit, body.reason, body.purchase_id])).toString("base64url"),
      userId: body.user_id,
      sku: body.stock_keeping_unit,
      target,
      source: body.reason,
      sourceId: body.purchase_id,
      traceparent: visitOf(request).trace.traceparent,
      conflictBody: stateConflict(body.stock_keeping_unit, target).body(route),
    });
    return respond(answer);
  };
  return new Elysia({ normalize: false })
    .post("/v1/entitlements/grants", change("ACTIVE", "/v1/entitlements/grants"), options("Grant an entitlement"))
    .post("/v1/entitlements/revokes", change("REVOKED", "/v1/entitlements/revokes"), options("Revoke an entitlement"));
}

const stateConflict = (sku: string, target: Change["target"]) =>
  new Problem(409, "ENTITLEMENT_STATE_CONFLICT", `the user's entitlement to ${sku} is ${target} already; nothing was changed`);

function respond({ replayed, same_request, response_code, response_body }: Answer): Response {
  if (!same_request)
    throw new Problem(
      409,
      "IDEMPOTENCY_KEY_CONFLICT",
      "this Idempotency-Key was used for another request; use a new key for a new request",
    );
  return new Response(response_body, {
    status: response_code,
    headers: {
      "content-type": response_code === 200 ? "application/json" : "application/problem+json",
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
    },
  });
}
