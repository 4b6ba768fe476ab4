import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { visitOf } from "../../kernel/http/http.ts";
import { Problem } from "../../kernel/http/problem.ts";
import { type Cookies, sessionCookie, signInCookie } from "../edge/cookies.ts";
import { errorPage } from "../edge/pages.ts";
import { sessionsAway } from "../edge/people.ts";
import type { SessionGuard } from "../edge/session_guard.ts";
import type { Sessions } from "../edge/sessions.ts";
import type { SignIn } from "./sign_in.ts";

export interface SignInRoutesOptions {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly entrance: SessionGuard;
  readonly cookies: Cookies;
  readonly origin: () => string;
  readonly signInSeconds: number;
}

const parameter = Type.Optional(Type.String({ maxLength: 2000 }));

function redirect(location: string, ...given: string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of given) headers.append("set-cookie", cookie);
  return new Response(null, { status: 302, headers });
}

/** A person in a browser gets a page, a program gets problem+json. */
async function forPeople(request: Request, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = sessionsAway(thrown);
    if (!(error instanceof Problem) || !request.headers.get("accept")?.includes("text/html")) throw error;
    return errorPage(error);
  }
}

/** Signing in and out. */
export function signInRoutes({ signIn, sessions, entrance, cookies, origin, signInSeconds }: SignInRoutesOptions) {
  const counted = entrance.anybody("sign-in");
  return new Elysia({ normalize: false })
    .get(
      "/login",
      ({ request, query }) =>
        forPeople(request, async () => {
          const { location, browser } = await signIn.begin(cookies.read(request, signInCookie), query.returnTo, query.prompt);
          return redirect(location, cookies.give(signInCookie, browser, signInSeconds));
        }),
      {
        query: Type.Object(
          { returnTo: parameter, prompt: Type.Optional(Type.Union([Type.Literal("login"), Type.Literal("select_account")])) },
          { additionalProperties: false },
        ),
        ...counted,
        detail: {
          summary: "Sign in",
          description:
            "Sends the browser to the identity provider and then to `returnTo`, a path of this site. `prompt=login` asks for the password again.",
        },
      },
    )
    .get(
      "/callback",
      ({ request }) =>
        forPeople(request, async () => {
          const { requestId, trace } = visitOf(request);
          const query = new URL(request.url).searchParams;
          const browser = cookies.read(request, signInCookie);
          const { profile, returnTo } = await signIn.finish(browser, query, { requestId, traceparent: trace.traceparent });
          if (profile.account_status !== "ACTIVE")
            throw new Problem(403, "ACCOUNT_INACTIVE", "this account is suspended; ask an administrator");
          const earlier = await entrance.sessionOf(request);
          if (earlier) await sessions.end(earlier);
          const id = await sessions.open(profile.user_id);
          // The other cookie stays: another tab may be half-way. What it opens works once.
          return redirect(`${origin()}${returnTo}`, cookies.give(sessionCookie, id));
        }),
      { ...counted, detail: { summary: "Where the identity provider sends the browser back to" } },
    )
    .post(
      "/logout",
      async ({ request }) => {
        const session = await entrance.sessionOf(request);
        if (session)
          await sessions.end(session).catch(error => {
            throw sessionsAway(error);
          });
        return new Response(null, { status: 204, headers: { "set-cookie": cookies.take(sessionCookie) } });
      },
      {
        ...entrance.anybody("address"),
        parse: "none",
        detail: { summary: "Sign out", description: "Ends the session on the server. Needs the header X-Kenri-CSRF." },
      },
    );
}
