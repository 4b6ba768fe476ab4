import { sha256 } from "../../kernel/http/auth.ts";
import { callerOf } from "../../kernel/http/callers.ts";
import { requestContext } from "../../kernel/http/http.ts";
import { idempotencyKey } from "../../kernel/http/idempotency_key.ts";
import { Problem, problemBody } from "../../kernel/http/problem.ts";
import type { Answer, Change, Changes } from "./changes.ts";

type Asked = Pick<Change, "route" | "target" | "userId" | "sku" | "source" | "sourceId" | "operatorReason">;

/** The response of a change that was applied. */
export interface ChangeResponse {
  readonly user_id: string;
  readonly stock_keeping_unit: string;
  readonly status: Change["target"];
  readonly version: number;
  readonly updated_at: string;
}

/** Carries out a request under its Idempotency-Key, or replays its stored response. */
export async function submitChange(changes: Changes, request: Request, asked: Asked): Promise<Response> {
  const { userId, sku, source, sourceId, operatorReason, target, route } = asked;
  const key = idempotencyKey(request);
  const meant = [userId, sku, source, sourceId, ...(operatorReason === undefined ? [] : [operatorReason])];
  const answer = await changes.submit({
    ...asked,
    key,
    clientId: callerOf(request).clientId,
    requestHash: sha256(JSON.stringify(meant)).toString("base64url"),
    traceparent: requestContext(request).trace.traceparent,
    conflictBody: stateConflict(sku, target, route),
  });
  return respond(answer);
}

/** The body for every request, in case it is needed. Not a Problem: an error collects its stack, which takes 2 % of a grant. */
const stateConflict = (sku: string, target: Change["target"], route: string): string => {
  const detail = `the user's entitlement to ${sku} is ${target} already; nothing was changed`;
  return problemBody({ status: 409, code: "ENTITLEMENT_STATE_CONFLICT", detail }, route);
};

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
