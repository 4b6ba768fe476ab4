import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { withTimeout } from "../life/deadline.ts";
import { Problem, unavailable } from "./problem.ts";

/** The roles of people. GATEWAY is the issuer itself, for its calls without a user. */
export const roles = ["USER", "VIEWER", "OPERATOR", "ADMIN"] as const;
export type Role = (typeof roles)[number] | "GATEWAY";

/** The subject of a token. */
export interface Person {
  readonly userId: string;
  readonly roles: readonly string[];
}

export const issuer = "kenri-gateway";
// The type of our tokens, so that no other JWT is accepted as one.
export const jwtType = "kenri+jwt";

// How far the clocks of the issuer and a service may differ, in seconds.
const skew = 30;
const longestLife = 120;
// Keys are fetched at most this often, whatever kids an attacker invents.
const fetchPause = 250;
// Keys are fetched again after this: a key that is no longer published is refused within it.
const keysFreshFor = 2000;
// A slow issuer delays a request no longer than this. While it is away, its last keys are valid for `keysHoldFor`.
const longestRefresh = 300;
const keysHoldFor = 600_000;

/**
 * Verifies the short-lived tokens that the issuer mints for one service each, with the keys that it publishes (JWKS).
 * An unknown kid triggers a fetch, so that the key of an issuer that has just started works at once.
 */
export function tokenVerifier(jwksUrl: string, audience: string) {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: fetchPause, cacheMaxAge: keysHoldFor, timeoutDuration: 2000 });
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  /** Requests during a refresh wait for it: an idle service may hold keys that were removed long ago. */
  function refresh(): Promise<void> | undefined {
    if (!refreshing && performance.now() - refreshedAt >= keysFreshFor)
      refreshing = withTimeout(longestRefresh, "the token issuer", keys.reload())
        .catch(() => {}) // known keys stay valid; without any, the check fails with "cannot be read"
        .finally(() => {
          refreshedAt = performance.now();
          refreshing = undefined;
        });
    return refreshing;
  }
  const check = (token: string) =>
    jwtVerify(token, keys, {
      algorithms: ["EdDSA"],
      typ: jwtType,
      issuer,
      audience,
      clockTolerance: skew,
      maxTokenAge: longestLife,
      requiredClaims: ["sub", "exp", "iat", "roles"],
    });

  return async function verify(token: string): Promise<Person> {
    await refresh();
    const { payload } = await check(token)
      .catch(async error => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await Bun.sleep(fetchPause); // another request triggered a fetch a moment ago
        return check(token);
      })
      .catch(error => {
        throw isAboutToken(error) ? invalidToken() : unavailable("the keys of the token issuer cannot be read; try again");
      });
    return personOf(payload);
  };
}

export type VerifyToken = ReturnType<typeof tokenVerifier>;

/** Whether an error is about the token itself; otherwise the keys could not be fetched. */
const isAboutToken = (error: unknown) =>
  error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== "ERR_JOSE_GENERIC";

function personOf({ sub, roles: given }: JWTPayload): Person {
  if (!sub || !Array.isArray(given) || !given.every(role => typeof role === "string")) throw invalidToken();
  return { userId: sub, roles: given as string[] };
}

export const invalidToken = () =>
  new Problem(401, "UNAUTHORIZED", "the token is not valid for this service", {
    headers: { "www-authenticate": 'Bearer realm="kenri", error="invalid_token"' },
  });
