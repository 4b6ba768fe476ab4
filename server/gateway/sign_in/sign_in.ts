import { sha256 } from "../../kernel/http/auth.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import type { CallContext, Downstream } from "../calls/downstream.ts";
import type { Integrity } from "../edge/integrity.ts";
import { asGateway, type People, type Profile } from "../edge/people.ts";
import { type Challenge, type IdentityProvider, signInFailed } from "./identity_provider.ts";
import { returnPath } from "./return_to.ts";

export interface SignInOptions {
  readonly redis: Redis;
  readonly integrity: Integrity;
  readonly provider: IdentityProvider;
  /** The name under which account keeps identities of the provider. */
  readonly providerName: string;
  readonly services: Downstream;
  readonly people: People;
  readonly within: number;
  readonly origin: () => string;
}

interface Pending extends Challenge {
  readonly returnTo: string;
}

const browserPattern = /^[\w-]{43}$/;

/**
 * A sign-in in two halves. What the first remembers is kept in Redis under the state and the browser that began it: it can be
 * finished once, by that browser, in time.
 */
export function signIn({ redis, integrity, provider, providerName, services, people, within, origin }: SignInOptions) {
  const redirectUri = () => `${origin()}/callback`;
  const keyOf = (browser: string, state: string) => `kenri:sign-in:${sha256(`${browser}\n${state}`).toString("base64url")}`;

  return {
    /** `browser` is what the browser holds already; several tabs share it. */
    async begin(browser: string | undefined, returnTo: string | undefined, prompt: string | undefined) {
      const holder =
        browser !== undefined && browserPattern.test(browser)
          ? browser
          : Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const { url, challenge } = await provider.begin(redirectUri(), prompt);
      const pending: Pending = { ...challenge, returnTo: returnPath(returnTo, origin()) };
      const key = keyOf(holder, challenge.state);
      await redis.send("SET", key, integrity.sign(key, JSON.stringify(pending)), "PX", within);
      return { location: url.href, browser: holder };
    },

    /** Who signed in, and where to. A user who may not is known by the profile's status. */
    async finish(browser: string | undefined, query: URLSearchParams, following: Pick<CallContext, "requestId" | "traceparent">) {
      const state = query.get("state");
      if (browser === undefined || !state) throw signInFailed("this sign-in was not begun in this browser");
      const key = keyOf(browser, state);
      const signed = await redis.send<string | null>("GETDEL", key);
      const kept = signed === null ? undefined : integrity.verify("sign-in", key, signed);
      if (kept === undefined) throw signInFailed("this sign-in was not begun in this browser, took too long or is finished already");
      const { returnTo, ...challenge } = JSON.parse(kept) as Pending;
      const identity = await provider.finish(new URL(`${redirectUri()}?${query}`), challenge);
      const profile = await services.ask<Profile>("account", "/identities:resolve", asGateway(following), {
        method: "POST",
        body: {
          provider: providerName,
          subject: identity.subject,
          email: identity.email,
          email_verified: identity.emailVerified,
          name: identity.name,
          picture: identity.picture,
          roles: identity.roles,
        },
      });
      await people.keep(profile);
      return { profile, returnTo };
    },
  };
}

export type SignIn = ReturnType<typeof signIn>;
