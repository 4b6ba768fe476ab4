import { timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";

export const scopes = ["entitlements:read", "entitlements:write", "orders:read", "orders:write", "ops:read", "ops:write"] as const;
export type Scope = (typeof scopes)[number];

export interface Caller {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

interface StoredKey {
  readonly client_id: string;
  readonly secret_sha256: Uint8Array;
  readonly scopes: readonly string[];
  readonly live: boolean;
}

const keyPattern = /^kenri_([0-9a-z]{12})_([0-9A-Za-z_-]{32,64})$/;
// A key that was looked up is believed this long: a revocation takes effect within it. Bounded, so that guessing does not fill memory.
const believedFor = 2000;
const maxRemembered = 1000;

export const sha256 = (text: string): Buffer => new Bun.CryptoHasher("sha256").update(text).digest();

const unauthorized = (detail: string) =>
  new Problem(401, "UNAUTHORIZED", detail, { headers: { "www-authenticate": 'Bearer realm="kenri"' } });

/** Knows machine clients by `Authorization: Bearer kenri_<id>_<secret>`. */
export function authenticator(
  findKey: (keyId: string) => Promise<StoredKey | undefined>,
  now: () => number = performance.now.bind(performance),
) {
  const remembered = new Map<string, { key: StoredKey; until: number }>();

  async function lookUp(keyId: string): Promise<StoredKey | undefined> {
    const hit = remembered.get(keyId);
    if (hit && hit.until > now()) return hit.key;
    const key = await findKey(keyId);
    remembered.delete(keyId);
    if (!key) return undefined;
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!);
    remembered.set(keyId, { key, until: now() + believedFor });
    return key;
  }

  return async function authenticate(request: Request, needed: Scope): Promise<Caller> {
    const header = request.headers.get("authorization");
    if (!header) throw unauthorized("send an API key as 'Authorization: Bearer kenri_…'");
    const match = keyPattern.exec(/^Bearer +(\S+)$/i.exec(header)?.[1] ?? "");
    if (!match) throw unauthorized("the Authorization header holds no Kenri API key");
    const key = await lookUp(match[1]!);
    const matches = timingSafeEqual(sha256(match[2]!), key ? Buffer.from(key.secret_sha256) : Buffer.alloc(32));
    if (!key || !matches || !key.live) throw unauthorized("the API key is unknown, expired or revoked");
    if (!key.scopes.includes(needed)) throw new Problem(403, "FORBIDDEN", `the API key lacks the scope ${needed}`);
    return { clientId: key.client_id, scopes: key.scopes };
  };
}

export type Authenticate = ReturnType<typeof authenticator>;

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

/** A new key: 12 characters that name it and 256 random bits that prove it. */
export function newKey(): { key: string; keyId: string; secretSha256: Buffer } {
  const keyId = [...crypto.getRandomValues(new Uint8Array(12))].map(byte => alphabet[byte % 36]).join("");
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return { key: `kenri_${keyId}_${secret}`, keyId, secretSha256: sha256(secret) };
}
