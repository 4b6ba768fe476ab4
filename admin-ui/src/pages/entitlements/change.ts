import { ApiError, postOnce } from "../../api/client.ts";

export type Verb = "grant" | "revoke";

/** A manual change before it is sent. */
export interface Draft {
  readonly item: string;
  readonly record: string;
  readonly reason: string;
}

/** The committed change. */
export interface Committed {
  readonly user_id: string;
  readonly stock_keeping_unit: string;
  readonly status: "ACTIVE" | "REVOKED";
  readonly version: number;
  readonly updated_at: string;
}

export function commit(user: string, verb: Verb, { item, record, reason }: Draft, key: string) {
  const body = { stock_keeping_unit: item.trim(), purchase_id: record.trim(), reason: reason.trim() };
  return postOnce<Committed>("entitlement", `users/${encodeURIComponent(user)}/${verb}s`, body, key);
}

/** Whether the outcome is unknown: no response, or an error from a proxy or the gateway. */
export const isOutcomeUnknown = (error: unknown): boolean => !(error instanceof ApiError) || error.status === 0 || error.status >= 500;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The same change as a curl command for machine clients. The API key is left to the caller. */
export function curlOf(user: string, verb: Verb, { item, record }: Draft, key: string): string {
  const body = { user_id: user, stock_keeping_unit: item.trim(), reason: "operator", purchase_id: record.trim() };
  return [
    `curl -sS -X POST "$ENTITLEMENT_URL/v1/entitlements/${verb}s" \\`,
    `  -H "Authorization: Bearer $KENRI_API_KEY" \\`,
    `  -H ${quoted(`Idempotency-Key: ${key}`)} -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
}
