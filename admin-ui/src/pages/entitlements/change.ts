import type { ChangeResponse } from "../../../../server/entitlement/changes/change_request.ts";
import { ApiError, postOnce } from "../../api/client.ts";

export type Verb = "grant" | "revoke";

/** A manual change before it is sent. */
export interface Draft {
  readonly item: string;
  readonly reference: string;
  readonly reason: string;
}

export function commit(user: string, verb: Verb, { item, reference, reason }: Draft, key: string) {
  const body = { stock_keeping_unit: item.trim(), purchase_id: reference.trim(), reason: reason.trim() };
  return postOnce<ChangeResponse>("entitlement", `users/${encodeURIComponent(user)}/${verb}s`, body, key);
}

/** Whether the outcome is unknown: no response, or an error from a proxy or the gateway. */
export const isOutcomeUnknown = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The same change as a curl command for machine clients. The API key is left to the caller. */
export function curlOf(user: string, verb: Verb, { item, reference }: Draft, key: string): string {
  const body = { user_id: user, stock_keeping_unit: item.trim(), reason: "operator", purchase_id: reference.trim() };
  return [
    `curl -sS -X POST "$ENTITLEMENT_URL/v1/entitlements/${verb}s" \\`,
    `  -H "Authorization: Bearer $KENRI_API_KEY" \\`,
    `  -H ${quoted(`Idempotency-Key: ${key}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
}
