import { createHash } from "node:crypto";
import type postgres from "postgres";
import { statement } from "./statements.ts";

interface GrantRequest {
  readonly user_id: string;
  readonly stock_keeping_unit: string;
  readonly reason: string;
  readonly purchase_id: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const fields = ["user_id", "stock_keeping_unit", "reason", "purchase_id"] as const;
const reserveKey = statement("reserve_key");
const storedResponse = statement<{ request_hash: string; response_code: number; response_body: string }>("stored_response");
const grantEntitlement = statement<{ version: number; updated_at: Date }>("grant");
const appendEvent = statement("append_event");
const appendAudit = statement("append_audit");
const storeResponse = statement("store_response");

/** POST /v1/entitlements/grants. Returns its address. */
export function serveGrants(sql: postgres.Sql): string {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: { "/v1/entitlements/grants": { POST: request => answer(sql, request) } },
  });
  return server.url.origin;
}

async function answer(sql: postgres.Sql, request: Request): Promise<Response> {
  const key = request.headers.get("idempotency-key");
  const body = (await request.json().catch(() => undefined)) as GrantRequest | undefined;
  if (!key || !body || fields.some(name => typeof body[name] !== "string" || body[name] === "")) return new Response(null, { status: 400 });
  const { status, body: text } = await sql.begin(transaction => grant(transaction, key, body));
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}

/** Seven round trips with begin and commit. */
async function grant(sql: postgres.ISql, key: string, request: GrantRequest): Promise<Answer> {
  const { user_id, stock_keeping_unit, reason, purchase_id } = request;
  const hash = createHash("sha256")
    .update(JSON.stringify([user_id, stock_keeping_unit, reason, purchase_id]))
    .digest("hex");
  const [reserved] = await reserveKey(sql, key, hash);
  if (!reserved) return repeat(sql, key, hash);
  const [row] = await grantEntitlement(sql, user_id, stock_keeping_unit, reason, purchase_id);
  const { version, updated_at } = row!;
  const occurred_at = updated_at.toISOString();
  const facts = { user_id, stock_keeping_unit, source: reason, source_id: purchase_id, version, occurred_at };
  const traceId = crypto.randomUUID().replaceAll("-", "");
  await appendEvent(sql, Bun.randomUUIDv7(), "EntitlementGranted", `${user_id}:${stock_keeping_unit}`, facts, traceId);
  await appendAudit(sql, user_id, stock_keeping_unit, reason, purchase_id, { version });
  const body = JSON.stringify({ user_id, stock_keeping_unit, status: "ACTIVE", version, updated_at: occurred_at });
  await storeResponse(sql, key, 200, body);
  return { status: 200, body };
}

async function repeat(sql: postgres.ISql, key: string, hash: string): Promise<Answer> {
  const [stored] = await storedResponse(sql, key);
  if (stored?.request_hash !== hash) return { status: 409, body: '{"title":"the key belongs to another request"}' };
  return { status: stored.response_code, body: stored.response_body };
}
