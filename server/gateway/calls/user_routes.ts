import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { badRequest, Problem } from "../../kernel/http/problem.ts";
import { pathId, uuid } from "../../kernel/http/text.ts";
import type { Profile, Profiles } from "../edge/profiles.ts";
import { type SessionGuard, signedInOf } from "../edge/session_guard.ts";
import { aggregate, parts, shapes } from "./aggregate.ts";
import type { Downstream } from "./downstream.ts";

const params = Type.Object({ user_id: pathId("the user") });
const strict = { additionalProperties: false };

const pathOf = (userId: string) => `/users/${encodeURIComponent(userId)}`;

/** The signed-in user, and what is known about a user. The services check access. */
export function userRoutes(services: Downstream, profiles: Profiles, guard: SessionGuard) {
  const signedIn = guard.signedIn();
  return new Elysia({ normalize: false })
    .get("/v1/me", ({ request }) => signedInOf(request).profile, {
      ...signedIn,
      detail: { summary: "The signed-in user", description: "401 without a session, 403 ACCOUNT_INACTIVE for a suspended account." },
    })
    .get(
      "/v1/users/:user_id",
      ({ request, params: { user_id } }) => services.ask<object>("account", pathOf(user_id), signedInOf(request).context),
      { params, ...signedIn, detail: { summary: "A user's account", description: "Your own, or any for a console role." } },
    )
    .patch(
      "/v1/users/:user_id",
      async ({ request, params: { user_id }, body }) => {
        const changed = await services.ask<Profile>("account", pathOf(user_id), signedInOf(request).context, { method: "PATCH", body });
        await profiles.keep(changed).catch(() => {}); // without Redis the change shows a little later
        return changed;
      },
      {
        params,
        body: Type.Object({ display_name: Type.Optional(Type.String()), locale: Type.Optional(Type.String()) }, strict),
        ...signedIn,
        detail: { summary: "Change a user's display_name or locale", description: "Needs the header X-Kenri-CSRF." },
      },
    )
    .get(
      "/v1/users/:user_id/entitlements",
      async ({ request, params: { user_id } }) => {
        const path = `/v1/users/${encodeURIComponent(user_id)}/entitlements${new URL(request.url).search}`;
        const { text } = await services.pass("entitlement", path, signedInOf(request).context);
        return new Response(text, { headers: { "content-type": "application/json" } });
      },
      {
        params,
        query: Type.Object(
          {
            as_of: Type.Optional(Type.String({ description: "read the past at this RFC 3339 time" })),
            limit: Type.Optional(Type.String({ description: "1 to 200, 100 by default" })),
            cursor: Type.Optional(Type.String({ description: "next_cursor of the page before, or of the profile" })),
          },
          strict,
        ),
        ...signedIn,
        detail: {
          summary: "A user's entitlements, by stock_keeping_unit, page by page",
          description: "Your own, or anybody's for a console role. next_cursor is set when there may be more.",
        },
      },
    )
    .get(
      "/v1/users/:user_id/profile",
      async ({ request, params: { user_id }, query: { fields, ticket_id }, headers }) => {
        const { context } = signedInOf(request);
        if (context.person.userId !== user_id) throw new Problem(403, "PROFILE_FORBIDDEN", "a profile is for its owner only");
        const shape = shapes.get(headers["x-kenri-client"] ?? "web");
        if (!shape) throw badRequest(`X-Kenri-Client must be one of ${[...shapes.keys()].join(", ")}`);
        return aggregate(services, context, { userId: user_id, parts: wantedParts(fields), ticketId: ticket_id }, shape);
      },
      {
        params,
        query: Type.Object(
          {
            fields: Type.Optional(Type.String({ description: "the wanted parts, separated by commas; all by default" })),
            ticket_id: Type.Optional(uuid("a matchmaking ticket of this user, for the part matchmaking")),
          },
          strict,
        ),
        ...signedIn,
        detail: {
          summary: "Account, entitlements and ticket of the signed-in user in one answer",
          description:
            "X-Kenri-Client sets its form: web (everything) or game (what a game shows). It has the first page of the entitlements; if there are more, use entitlement.next_cursor at /v1/users/{user_id}/entitlements. The part matchmaking is absent without ticket_id, and when the ticket no longer exists.",
        },
      },
    );
}

function wantedParts(fields: string | undefined) {
  if (fields === undefined) return parts;
  const wanted = fields.split(",").map(field => field.trim());
  const unknown = wanted.filter(field => !(parts as readonly string[]).includes(field));
  if (unknown.length > 0 || wanted.length === 0)
    throw badRequest(`fields may name ${parts.join(", ")}`, { errors: [{ pointer: "/fields", detail: `there is no part ${unknown[0]}` }] });
  return parts.filter(part => wanted.includes(part));
}
