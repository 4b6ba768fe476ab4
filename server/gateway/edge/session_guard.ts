import { readJson } from "../../kernel/http/body.ts";
import { requestContext } from "../../kernel/http/http.ts";
import { Problem } from "../../kernel/http/problem.ts";
import type { Role } from "../../kernel/http/tokens.ts";
import type { CallContext } from "../calls/downstream.ts";
import { type Cookies, sessionCookie } from "./cookies.ts";
import { isForeignSubresource } from "./fetch_metadata.ts";
import type { LimitName, TakeLimit, UserLimit } from "./limits.ts";
import { type Profile, type Profiles, sessionsAway, signInAgain } from "./profiles.ts";
import type { Session, Sessions } from "./sessions.ts";

/** A signed-in person's request. */
export interface SignedInRequest {
  readonly session: Session;
  readonly profile: Profile;
  /** For calls to the services. */
  readonly context: CallContext;
}

export interface SessionGuardOptions {
  readonly sessions: Sessions;
  readonly profiles: Profiles;
  readonly cookies: Cookies;
  readonly takeLimit: TakeLimit;
  readonly addressOf: (request: Request) => string;
  /** `http://127.0.0.1:8080`: the Origin header of our own pages. */
  readonly origin: () => string;
  readonly bodyWithin: number;
}

export interface HookContext {
  readonly request: Request;
  readonly set: { headers: Record<string, string | number> };
}

const signedInRequests = new WeakMap<Request, SignedInRequest>();
const csrfHeader = "x-kenri-csrf";

/** Route options that check a request before its body is read: rate limit, origin, session, account status and roles. */
export function sessionGuard({ sessions, profiles, cookies, takeLimit, addressOf, origin, bodyWithin }: SessionGuardOptions) {
  const limit = async ({ request, set }: HookContext, name: LimitName, who: string, userId?: string, costly?: UserLimit) =>
    void Object.assign(set.headers, await takeLimit(name, who, userId, costly, requestContext(request).trace.traceparent));

  async function sessionOf(request: Request): Promise<Session | undefined> {
    const id = cookies.read(request, sessionCookie);
    if (id === undefined) return undefined;
    return sessions.read(id, requestContext(request).trace.traceparent).catch(error => {
      throw sessionsAway(error);
    });
  }

  async function admit(hook: HookContext, roles?: readonly Role[], costly?: UserLimit): Promise<void> {
    const { request } = hook;
    if (signedInRequests.has(request)) return;
    refuseForeign(request, origin());
    const session = await sessionOf(request);
    // A request with an invalid session cookie is limited by its IP address.
    const limiting = session ? limit(hook, "session", session.key, session.userId, costly) : limit(hook, "address", addressOf(request));
    const current = requestContext(request);
    const { requestId, trace } = current;
    if (session) current.caller = { user_id: session.userId };
    const correlation = { requestId, traceparent: trace.traceparent };
    const finding = session ? profiles.find(session.userId, correlation, roles !== undefined) : undefined;
    finding?.catch(() => {}); // the limit may refuse first
    await limiting;
    if (!session || !finding) throw signInAgain();
    const profile = await finding.catch(error => {
      throw sessionsAway(error);
    });
    if (profile.account_status !== "ACTIVE") throw new Problem(403, "ACCOUNT_INACTIVE", "this account is suspended; ask an administrator");
    if (roles && !roles.some(role => profile.roles.includes(role)))
      throw new Problem(403, "FORBIDDEN", `this requires the role ${roles.join(" or ")}`);
    const person = { userId: profile.user_id, roles: profile.roles };
    signedInRequests.set(request, { session, profile, context: { ...correlation, person, isGone: () => request.signal.aborted } });
  }

  const options = <H extends HookContext>(check: (hook: H) => Promise<void>) => ({
    parse: [
      async (hook: H) => {
        await check(hook);
        return readJson(hook.request, bodyWithin);
      },
      "json" as const,
    ],
    transform: check,
  });

  return {
    /** Requires a session, and one of the roles if any are given. */
    signedIn: (roles?: readonly Role[]) => options((hook: HookContext) => admit(hook, roles)),
    /** Requires a session, and takes of a limit of the user that is only for such requests. */
    signedInWithin: (costly: UserLimit) => options((hook: HookContext) => admit(hook, undefined, costly)),
    /** Allows everybody, limited by IP address. */
    anybody: (name: LimitName) => {
      const counted = new WeakSet<Request>();
      return options(async (hook: HookContext) => {
        if (counted.has(hook.request)) return;
        counted.add(hook.request);
        refuseForeign(hook.request, origin());
        await limit(hook, name, addressOf(hook.request));
      });
    },
    /** As signedIn, for a route that answers refusals itself. */
    admit,
    sessionOf,
  };
}

export type SessionGuard = ReturnType<typeof sessionGuard>;

export function signedInOf(request: Request): SignedInRequest {
  const signedIn = signedInRequests.get(request);
  if (!signedIn) throw new Error("signedInOf is only for routes that require a session");
  return signedIn;
}

const isSafe = (request: Request) => request.method === "GET" || request.method === "HEAD";

/**
 * Refuses requests of other sites. A request that changes something must come from our own pages: by its Origin and Sec-Fetch-Site, and by a
 * header that forms cannot send and other sites cannot send without a preflight. A safe request of another site must be a navigation. Otherwise
 * a foreign page could start sign-ins, or use up the rate limit of its visitors' IP addresses.
 */
function refuseForeign(request: Request, own: string): void {
  if (isSafe(request)) {
    if (!isForeignSubresource(request)) return;
    throw new Problem(403, "CROSS_SITE_REFUSED", "a page of another site may link here but not load this; open it in a tab of its own");
  }
  const from = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  if (from !== null && from !== own) throw foreign("the request comes from another site");
  if (site !== null && site !== "same-origin" && site !== "none") throw foreign("the request comes from another site");
  if (request.headers.get(csrfHeader) === null) throw foreign("the header X-Kenri-CSRF is missing; send it with any value");
}

const foreign = (why: string) => new Problem(403, "CSRF_REFUSED", `${why}; nothing was changed`);
