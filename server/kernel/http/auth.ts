import { timingSafeEqual } from "node:crypto";
import { singleFlight } from "../life/single_flight.ts";
import { Problem } from "./problem.ts";
import { invalidToken, type Person, type Role, type VerifyToken } from "./tokens.ts";

export const scopes = ["entitlements:read", "entitlements:write", "orders:read", "orders:write", "ops:read", "ops:write"] as const;
export type Scope = (typeof scopes)[number];

/** Who asks: a machine client by its key, or a person by a token of the gateway. */
export interface Caller {
  /** Names the caller in audits and scopes its idempotency keys; a person's starts with `user:`. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly person?: Person;
}

/** Who may pass: keys with the scope, people with one of the roles, and the person the path's `user_id` names. */
export interface Admission {
  readonly scope?: Scope;
  readonly roles?: readonly Role[];
  readonly owner?: boolean;
}

interface StoredKey {
  readonly client_id: string;
  readonly secret_sha256: Uint8Array;
  readonly scopes: readonly string[];
  readonly live: boolean;
}

const keyPattern = /^kenri_([0-9a-z]{12})_([0-9A-Za-z_-]{32,64})$/;
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]*$/;
// A key that was looked up is believed this long: a revocation takes effect within it. Bounded, so that guessing does not fill memory.
const believedFor = 2000;
const maxRemembered = 1000;

export const sha256 = (text: string): Buffer => new Bun.CryptoHasher("sha256").update(text).digest();

const unauthorized = (detail: string) =>
  new Problem(401, "UNAUTHORIZED", detail, { headers: { "www-authenticate": 'Bearer realm="kenri"' } });
const forbidden = (detail: string) => new Problem(403, "FORBIDDEN", detail);

/** `isKnown`: it was found before. Strangers can make up as many unknown ones as they like. */
export type FindKey = (keyId: string, isKnown: boolean) => Promise<StoredKey | undefined>;

/** Knows machine clients by `Authorization: Bearer kenri_<id>_<secret>`, and people by the gateway's tokens where `verifyToken` is given. */
export function authenticator(findKey: FindKey, verifyToken?: VerifyToken, now: () => number = performance.now.bind(performance)) {
  const remembered = new Map<string, { key: StoredKey; until: number }>();
  const lookUps = singleFlight<StoredKey | undefined>();

  function lookUp(keyId: string): Promise<StoredKey | undefined> {
    const hit = remembered.get(keyId);
    if (hit && hit.until > now()) return Promise.resolve(hit.key);
    return lookUps.ask(keyId, () => find(keyId, hit !== undefined));
  }

  async function find(keyId: string, isKnown: boolean): Promise<StoredKey | undefined> {
    const key = await findKey(keyId, isKnown);
    remembered.delete(keyId);
    if (!key) return undefined;
    if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value!);
    remembered.set(keyId, { key, until: now() + believedFor });
    return key;
  }

  async function byKey(keyId: string, secret: string, { scope }: Admission): Promise<Caller> {
    const key = await lookUp(keyId);
    const matches = timingSafeEqual(sha256(secret), key ? Buffer.from(key.secret_sha256) : Buffer.alloc(32));
    if (!key || !matches || !key.live) throw unauthorized("the API key is unknown, expired or revoked");
    if (!scope) throw forbidden("this is for signed-in people, not for API keys");
    if (!key.scopes.includes(scope)) throw forbidden(`the API key lacks the scope ${scope}`);
    return { clientId: key.client_id, scopes: key.scopes };
  }

  async function byToken(token: string, { roles = [], owner = false }: Admission, userId: string | undefined): Promise<Caller> {
    if (!verifyToken) throw invalidToken();
    const person = await verifyToken(token);
    const mayPass = (owner && person.userId === userId) || roles.some(role => person.roles.includes(role));
    if (!mayPass) throw forbidden(roles.length > 0 ? `this takes the role ${roles.join(" or ")}` : "this belongs to another user");
    return { clientId: `user:${person.userId}`, scopes: [], person };
  }

  /** `userId` is whom the request is about, if its path says so. */
  return async function authenticate(request: Request, admission: Admission, userId?: string): Promise<Caller> {
    const header = request.headers.get("authorization");
    if (!header) throw unauthorized("send an API key as 'Authorization: Bearer kenri_…'");
    const credential = /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
    const key = keyPattern.exec(credential);
    if (key) return byKey(key[1]!, key[2]!, admission);
    if (tokenPattern.test(credential)) return byToken(credential, admission, userId);
    throw unauthorized("the Authorization header holds no Kenri API key");
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
