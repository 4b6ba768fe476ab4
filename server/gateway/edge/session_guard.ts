import { readJson } from "../../kernel/http/body.ts";
import { visitOf } from "../../kernel/http/http.ts";
import { Problem } from "../../kernel/http/problem.ts";
import type { Role } from "../../kernel/http/tokens.ts";
import type { CallContext } from "../calls/downstream.ts";
import { type Cookies, sessionCookie } from "./cookies.ts";
import { isForeignSubresource } from "./fetch_metadata.ts";
import type { LimitName, TakeLimit } from "./limits.ts";
import { type People, type Profile, sessionsAway, signInAgain } from "./people.ts";
import type { Session, Sessions } from "./sessions.ts";

/** A signed-in person's request. */
export interface SignedInRequest {
  readonly session: Session;
  readonly profile: Profile;
  readonly errand: CallContext;
}

export interface EntranceOptions {
  readonly sessions: Sessions;
  readonly people: People;
  readonly cookies: Cookies;
  readonly takeLimit: TakeLimit;
  readonly addressOf: (request: Request) => string;
  /** `http://127.0.0.1:8080`: what a browser sends as Origin from our own pages. */
  readonly origin: () => string;
  readonly bodyWithin: number;
}

export interface Arrival {
  readonly request: Request;
  readonly set: { headers: Record<string, string | number> };
}

const guests = new WeakMap<Request, SignedInRequest>();
const csrfHeader = "x-kenri-csrf";

/** Route options that say who may pass, asked before the body is read: at most so often, from our own pages, signed in, active. */
export function sessionGuard({ sessions, people, cookies, takeLimit, addressOf, origin, bodyWithin }: EntranceOptions) {
  const limit = async ({ set }: Arrival, name: LimitName, who: string, userId?: string) =>
    void Object.assign(set.headers, await takeLimit(name, who, userId));

  async function sessionOf(request: Request): Promise<Session | undefined> {
    const id = cookies.read(request, sessionCookie);
    if (id === undefined) return undefined;
    return sessions.read(id).catch(error => {
      throw sessionsAway(error);
    });
  }

  async function enter(arrival: Arrival, roles: readonly Role[] | undefined): Promise<void> {
    const { request } = arrival;
    if (guests.has(request)) return;
    refuseForeign(request, origin());
    const session = await sessionOf(request);
    // A cookie that is no session must not buy a bucket of its own.
    const limiting = session ? limit(arrival, "session", session.key, session.userId) : limit(arrival, "address", addressOf(request));
    const visit = visitOf(request);
    const { requestId, trace } = visit;
    if (session) visit.caller = { user_id: session.userId };
    const following = { requestId, traceparent: trace.traceparent };
    const finding = session ? people.find(session.userId, following, roles !== undefined) : undefined;
    finding?.catch(() => {}); // the limit may refuse first
    await limiting;
    if (!session || !finding) throw signInAgain();
    const profile = await finding.catch(error => {
      throw sessionsAway(error);
    });
    if (profile.account_status !== "ACTIVE") throw new Problem(403, "ACCOUNT_INACTIVE", "this account is suspended; ask an administrator");
    if (roles && !roles.some(role => profile.roles.includes(role)))
      throw new Problem(403, "FORBIDDEN", `this takes the role ${roles.join(" or ")}`);
    const person = { userId: profile.user_id, roles: profile.roles };
    guests.set(request, { session, profile, errand: { ...following, person, isGone: () => request.signal.aborted } });
  }

  const options = <A extends Arrival>(pass: (arrival: A) => Promise<void>) => ({
    parse: [
      async (arrival: A) => {
        await pass(arrival);
        return readJson(arrival.request, bodyWithin);
      },
      "json" as const,
    ],
    transform: pass,
  });

  return {
    /** Signed in, and with one of the roles if any are named. */
    signedIn: (roles?: readonly Role[]) => options((arrival: Arrival) => enter(arrival, roles)),
    /** Anybody, at most so often from one address. */
    anybody: (name: LimitName) => {
      const counted = new WeakSet<Request>();
      return options(async (arrival: Arrival) => {
        if (counted.has(arrival.request)) return;
        counted.add(arrival.request);
        refuseForeign(arrival.request, origin());
        await limit(arrival, name, addressOf(arrival.request));
      });
    },
    /** As signedIn, for a route that has its own way to say no. */
    enter,
    sessionOf,
  };
}

export type SessionGuard = ReturnType<typeof sessionGuard>;

export function guestOf(request: Request): SignedInRequest {
  const guest = guests.get(request);
  if (!guest) throw new Error("a route that asks for its guest must require a session");
  return guest;
}

const isSafe = (request: Request) => request.method === "GET" || request.method === "HEAD";

/**
 * What changes something must come from our own pages: by what the browser says of the page that asks, and by a header that no form and no
 * foreign page can send without asking first. A safe request may come from elsewhere only if the person goes here: a foreign page could otherwise
 * begin sign-ins, and use up what is allowed to the address of whoever looks at that page.
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
