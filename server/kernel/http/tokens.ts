import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from "jose";
import { withTimeout } from "../life/deadline.ts";
import { Problem, unavailable } from "./problem.ts";

/** People's roles, kept in account; GATEWAY is the gateway itself, for what it does before it knows a user. */
export const roles = ["USER", "VIEWER", "OPERATOR", "ADMIN"] as const;
export type Role = (typeof roles)[number] | "GATEWAY";

/** Who a token speaks for. */
export interface Person {
  readonly userId: string;
  readonly roles: readonly string[];
}

export const issuer = "kenri-gateway";
// Says what it is, so that no other signed thing can be passed off as one.
export const jwtType = "kenri+jwt";

// So far apart may the clocks of a gateway and a service be.
const skew = 30;
const longestLife = 120;
// Keys are fetched at most this often, whatever kids strangers invent.
const lookPause = 250;
// Known keys are read anew after this: a key that the gateways no longer publish is refused within it.
const keysFreshFor = 2000;
// A gateway that is slow to answer delays nobody longer than this. While it is away, the keys it published last hold for `keysHoldFor`.
const longestRefresh = 300;
const keysHoldFor = 600_000;

/**
 * Knows people by the short-lived tokens that the gateway mints for one service each, with the keys that the gateway publishes.
 * A kid that is not known makes it look again, so that the key of a gateway that has just started works at once.
 */
export function tokenVerifier(jwksUrl: string, audience: string) {
  const keys = createRemoteJWKSet(new URL(jwksUrl), { cooldownDuration: lookPause, cacheMaxAge: keysHoldFor, timeoutDuration: 2000 });
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | undefined;
  /** Everybody who comes during a refresh waits for it: an idle service may hold keys that were removed long ago. */
  function refresh(): Promise<void> | undefined {
    if (!refreshing && performance.now() - refreshedAt >= keysFreshFor)
      refreshing = withTimeout(longestRefresh, "the gateway", keys.reload())
        .catch(() => {}) // the keys that are known hold; without any, the check says that they cannot be read
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
        await Bun.sleep(lookPause); // others have made it look a moment ago
        return check(token);
      })
      .catch(error => {
        throw isAboutToken(error) ? invalidToken() : unavailable("the gateway's keys cannot be read; try again");
      });
    return personOf(payload);
  };
}

export type VerifyToken = ReturnType<typeof tokenVerifier>;

/** Everything jose says of a token itself; what remains is that the keys could not be fetched. */
const isAboutToken = (error: unknown) =>
  error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== "ERR_JOSE_GENERIC";

function personOf({ sub, roles: given }: JWTPayload): Person {
  if (!sub || !Array.isArray(given) || !given.every(role => typeof role === "string")) throw invalidToken();
  return { userId: sub, roles: given as string[] };
}

export const invalidToken = () =>
  new Problem(401, "UNAUTHORIZED", "the token is not a valid one of the gateway for this service", {
    headers: { "www-authenticate": 'Bearer realm="kenri", error="invalid_token"' },
  });
