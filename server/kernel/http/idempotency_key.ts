import { badRequest } from "./problem.ts";
import { isRequestKey } from "./text.ts";

/** The Idempotency-Key header: 1 to 255 visible ASCII characters, without surrounding quotes. Two headers arrive joined by ", "; the space refuses them. */
export function idempotencyKey(request: Request): string {
  const given = request.headers.get("idempotency-key");
  if (!given) throw badRequest("the header Idempotency-Key is required; send the same key again to repeat this request safely");
  const key = /^"(.*)"$/.exec(given)?.[1] ?? given;
  if (!isRequestKey(key)) throw badRequest("the Idempotency-Key must be 1 to 255 visible ASCII characters, sent once");
  return key;
}

/** The header, for OpenAPI. */
export const keyParameter = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: true,
  schema: { type: "string" as const, description: "1 to 255 visible ASCII characters" },
};
