import { badRequest } from "./problem.ts";

/** The Idempotency-Key header: 1 to 255 visible ASCII characters, surrounding quotes dropped. Two headers arrive joined by ", ", and the space gives them away. */
export function idempotencyKey(request: Request): string {
  const given = request.headers.get("idempotency-key");
  if (!given) throw badRequest("the header Idempotency-Key is required; send the same one again to repeat this request safely");
  const key = /^"(.*)"$/.exec(given)?.[1] ?? given;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) throw badRequest("the Idempotency-Key must be 1 to 255 visible ASCII characters, sent once");
  return key;
}
