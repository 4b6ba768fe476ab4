import { timingSafeEqual } from "node:crypto";
import { singleFlight } from "../life/single_flight.ts";
import { Problem } from "./problem.ts";
import { invalidToken, type Person, type Role, type VerifyToken } from "./tokens.ts";

declare const declared: unique symbol;
/** What an API key may do. Every system has the operators' scopes and declares its own with `scope`; another text is a type error. */
export type Scope = (typeof operatorScopes)[number] | (string & { readonly [declared]: true });
export const operatorScopes = ["ops:read", "ops:write"] as const;
export const scope = (name: `${string}:${string}`) => name as Scope;

/** A machine client, identified by its key, or a person, identified by a token of the issuer. */
export interface Caller {
  /** The caller's name in audits; its idempotency keys belong to it. A person's starts with `user:`. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly person?: Person;
}

/** Allowed callers: keys with the scope, people with one of the roles, and with `owner` the user of the path's `user_id`. */
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
// A key is cached this long, so a revocation takes effect within it. The cache is bounded, so that guessed keys do not fill memory.
const cacheFor = 2000;
const maxCached = 1000;

export const sha256 = (text: string): Buffer => new Bun.CryptoHasher("sha256").update(text).digest();

const unauthorized = (detail: string) =>
  new Problem(401, "UNAUTHORIZED", detail, { headers: { "www-authenticate": 'Bearer realm="kenri"' } });
const forbidden = (detail: string) => new Problem(403, "FORBIDDEN", detail);

/** `isKnown`: the key was found before. Lookups of unknown keys can be as many as an attacker likes. */
export type FindKey = (keyId: string, isKnown: boolean) => Promise<StoredKey | undefined>;

/** Identifies machine clients by `Authorization: Bearer kenri_<id>_<secret>`, and people by tokens of the issuer if `verifyToken` is given. */
export function authenticator(findKey: FindKey, verifyToken?: VerifyToken, now: () => number = performance.now.bind(performance)) {
  const cache = new Map<string, { key: StoredKey; until: number }>();
  const lookUps = singleFlight<StoredKey | undefined>();

  function lookUp(keyId: string): Promise<StoredKey | undefined> {
    const hit = cache.get(keyId);
    if (hit && hit.until > now()) return Promise.resolve(hit.key);
    return lookUps.ask(keyId, () => find(keyId, hit !== undefined));
  }

  async function find(keyId: string, isKnown: boolean): Promise<StoredKey | undefined> {
    const key = await findKey(keyId, isKnown);
    cache.delete(keyId);
    if (!key) return undefined;
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!);
    cache.set(keyId, { key, until: now() + cacheFor });
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
    if (!mayPass) throw forbidden(roles.length > 0 ? `this requires the role ${roles.join(" or ")}` : "this belongs to another user");
    return { clientId: `user:${person.userId}`, scopes: [], person };
  }

  /** `userId`: the user in the request's path, if there is one. */
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

/** A new key: an id of 12 characters and a secret of 256 random bits. */
export function newKey(): { key: string; keyId: string; secretSha256: Buffer } {
  const keyId = [...crypto.getRandomValues(new Uint8Array(12))].map(byte => alphabet[byte % 36]).join("");
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return { key: `kenri_${keyId}_${secret}`, keyId, secretSha256: sha256(secret) };
}
