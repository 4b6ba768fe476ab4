import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../../kernel/http/callers.ts";
import { keyParameter } from "../../kernel/http/idempotency_key.ts";
import { changedId, changedIdWithoutColon, name, newId } from "../../kernel/http/text.ts";
import { entitlementScopes } from "../scopes.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { checkIds } from "./change_ids.ts";
import { submitChange } from "./change_request.ts";
import type { Change, Changes } from "./changes.ts";

const ChangeRequest = Type.Object(
  {
    user_id: changedId("the user"),
    stock_keeping_unit: changedIdWithoutColon("what is granted or revoked"),
    reason: name("why, e.g. purchase or refund"),
    purchase_id: newId("the business record behind it"),
  },
  { additionalProperties: false },
);

const ttlText = (milliseconds: number) => (milliseconds % 3_600_000 === 0 ? `${milliseconds / 3_600_000} h` : `${milliseconds / 1000} s`);

/** POST /v1/entitlements/grants and /revokes. The response comes after the commit. */
export function changeRoutes(changes: Changes, sql: Pick<EntitlementSql, "known">, requires: Requires, idempotencyTtl: number) {
  const options = (summary: string) => ({
    body: ChangeRequest,
    ...requires(entitlementScopes.write),
    detail: {
      summary,
      description:
        `Send an Idempotency-Key; the same key with the same request within ${ttlText(idempotencyTtl)} gets the stored response byte for byte with Idempotency-Replayed: true, ` +
        "with another request 409 IDEMPOTENCY_KEY_CONFLICT. If the entitlement has the requested state already: 409 ENTITLEMENT_STATE_CONFLICT. Scope: entitlements:write.",
      parameters: [keyParameter],
    },
  });
  const change =
    (target: Change["target"], route: string) =>
    async ({ body, request }: { body: typeof ChangeRequest.static; request: Request }) => {
      await checkIds(sql, body.user_id, body.stock_keeping_unit);
      return submitChange(changes, request, {
        route,
        target,
        userId: body.user_id,
        sku: body.stock_keeping_unit,
        source: body.reason,
        sourceId: body.purchase_id,
      });
    };
  return new Elysia({ normalize: false })
    .post("/v1/entitlements/grants", change("ACTIVE", "/v1/entitlements/grants"), options("Grant an entitlement"))
    .post("/v1/entitlements/revokes", change("REVOKED", "/v1/entitlements/revokes"), options("Revoke an entitlement"));
}
