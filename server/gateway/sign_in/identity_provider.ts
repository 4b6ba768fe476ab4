import * as oidc from "openid-client";
import { Problem } from "../../kernel/http/problem.ts";
import { roles as knownRoles } from "../../kernel/http/tokens.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import { repeatsOf } from "../../kernel/telemetry/repeats.ts";

export interface IdentityProviderOptions {
  readonly issuer: string;
  /** The address at which this process reaches the issuer, if browsers use another one. */
  readonly internalUrl: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly rolesClaim: string | undefined;
  readonly deadline: number;
  readonly log: Log;
}

/** State of a sign-in between its two steps. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The claims of the provider about a person. */
export interface Identity {
  readonly subject: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  readonly picture: string | null;
  readonly roles: readonly string[];
}

const rediscoverEvery = 3_600_000;

/** The OIDC provider: authorization code with PKCE, state and nonce. Discovery happens at the first sign-in, so that the provider may be away at the start. */
export function identityProvider({ issuer, internalUrl, clientId, clientSecret, rolesClaim, deadline, log }: IdentityProviderOptions) {
  const route = internalUrl === undefined ? {} : { [oidc.customFetch]: fetchThrough(new URL(issuer).origin, internalUrl) };
  const proof = oidc.ClientSecretBasic(clientSecret);
  const options = [oidc.enableNonRepudiationChecks, ...(issuer.startsWith("http://") ? [oidc.allowInsecureRequests] : [])];
  const timeout = deadline / 1000;
  let discovered: { readonly metadata: oidc.ServerMetadata; readonly at: number } | undefined;

  async function discover(): Promise<oidc.ServerMetadata> {
    const found = await oidc.discovery(new URL(issuer), clientId, clientSecret, proof, { execute: options, timeout, ...route });
    discovered = { metadata: found.serverMetadata(), at: performance.now() };
    return discovered.metadata;
  }

  /** The discovered metadata are cached; the keys are not, since the provider may rotate them. */
  async function configuration(): Promise<oidc.Configuration> {
    const isFresh = discovered && performance.now() - discovered.at <= rediscoverEvery;
    const config = new oidc.Configuration(isFresh ? discovered!.metadata : await discover(), clientId, clientSecret, proof);
    for (const apply of options) apply(config);
    Object.assign(config, { timeout }, route);
    return config;
  }

  const says = `The identity provider (${new URL(internalUrl ?? issuer).host}) does not answer as it should. Nobody can sign in; sessions go on. Check OIDC_ISSUER and that it can be reached from here`;
  /** Turns every failure of the provider into a refusal. */
  const refusing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const problem = problemOf(error);
      if (problem.status >= 500) repeatsOf(log).write("warn", { error, says }, "gateway.idp_failed");
      throw problem;
    }
  };

  return {
    /** Reads the metadata again. Rejects if the provider does not answer. */
    discover,

    /** Where to send the browser, and the challenge to store until it returns. */
    begin: (redirectUri: string, prompt: string | undefined): Promise<{ url: URL; challenge: Challenge }> =>
      refusing(async () => {
        const config = await configuration();
        const challenge = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
        const url = oidc.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: "openid profile email",
          response_type: "code",
          state: challenge.state,
          nonce: challenge.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(challenge.verifier),
          code_challenge_method: "S256",
          ...(prompt === undefined ? {} : { prompt }),
        });
        return { url, challenge };
      }),

    /** Exchanges the code that the browser brought back. */
    finish: (callback: URL, { state, nonce, verifier }: Challenge): Promise<Identity> =>
      refusing(async () => {
        const config = await configuration();
        const tokens = await oidc.authorizationCodeGrant(config, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims()!;
        const more = claims.email === undefined ? await oidc.fetchUserInfo(config, tokens.access_token, claims.sub) : {};
        return identityOf({ ...more, ...claims }, rolesClaim);
      }),
  };
}

/** Sends requests for the issuer's origin to another address. Issuer, endpoints and tokens are still checked against the public one. */
const fetchThrough =
  (origin: string, internal: string): oidc.CustomFetch =>
  (url, options) =>
    fetch(url.startsWith(`${origin}/`) ? `${internal}${url.slice(origin.length)}` : url, options);

export type IdentityProvider = ReturnType<typeof identityProvider>;

function identityOf(claims: Record<string, unknown> & { sub: string }, rolesClaim: string | undefined): Identity {
  const text = (value: unknown) =>
    typeof value === "string" && value.trim() !== "" ? value.slice(0, 2000).toWellFormed().replaceAll("\0", "") : null;
  const roles = rolesClaim === undefined ? undefined : claims[rolesClaim];
  return {
    subject: claims.sub,
    email: text(claims.email),
    emailVerified: claims.email_verified === true,
    name: text(claims.name) ?? text(claims.preferred_username),
    picture: text(claims.picture),
    roles: knownRoles.filter(role => Array.isArray(roles) && roles.includes(role)), // a provider may send hundreds of groups
  };
}

const timeouts = new Set(["OAUTH_TIMEOUT", "OAUTH_ABORT"]);
// The provider answered, and its answer is invalid or a refusal.
const refusals = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_PARSE_ERROR",
]);

function problemOf(error: unknown): Problem {
  const { code = "", name, error: reason } = error as { code?: string; name?: string; error?: string };
  const isCodeRefused = code === "OAUTH_RESPONSE_BODY_ERROR" && reason === "invalid_grant";
  if (isCodeRefused || refusals.has(code)) return signInFailed("the identity provider did not confirm this sign-in");
  if (timeouts.has(code) || name === "TimeoutError")
    return new Problem(504, "IDP_TIMEOUT", "the identity provider did not answer in time; try again", { headers: { "retry-after": "1" } });
  return new Problem(502, "IDP_BAD_GATEWAY", "the identity provider cannot be reached or failed; try again", {
    headers: { "retry-after": "1" },
  });
}

export const signInFailed = (why: string) => new Problem(400, "SIGN_IN_FAILED", `${why}; start again at /login`);
