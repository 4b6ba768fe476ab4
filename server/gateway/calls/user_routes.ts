import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { badRequest, Problem } from "../../kernel/http/problem.ts";
import { pathId } from "../../kernel/http/text.ts";
import type { People, Profile } from "../edge/people.ts";
import { guestOf, type SessionGuard } from "../edge/session_guard.ts";
import { aggregate, parts, shapes } from "./aggregate.ts";
import type { Downstream } from "./downstream.ts";

const params = Type.Object({ user_id: pathId("the user") });
const strict = { additionalProperties: false };

const pathOf = (userId: string) => `/users/${encodeURIComponent(userId)}`;

/** Who am I, and what there is to know of a user. Whether one may is for the service to say. */
export function userRoutes(services: Downstream, people: People, entrance: SessionGuard) {
  const signedIn = entrance.signedIn();
  return new Elysia({ normalize: false })
    .get("/v1/me", ({ request }) => guestOf(request).profile, {
      ...signedIn,
      detail: { summary: "Who is signed in", description: "401 without a session, 403 ACCOUNT_INACTIVE for a suspended account." },
    })
    .get(
      "/v1/users/:user_id",
      ({ request, params: { user_id } }) => services.ask<object>("account", pathOf(user_id), guestOf(request).errand),
      { params, ...signedIn, detail: { summary: "A user's account", description: "Your own, or any for a console role." } },
    )
    .patch(
      "/v1/users/:user_id",
      async ({ request, params: { user_id }, body }) => {
        const changed = await services.ask<Profile>("account", pathOf(user_id), guestOf(request).errand, { method: "PATCH", body });
        await people.keep(changed).catch(() => {}); // it shows a little later then
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
        const { text } = await services.pass("entitlement", path, guestOf(request).errand);
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
          summary: "What a user has, by stock_keeping_unit, page by page",
          description: "Your own, or anybody's for a console role. next_cursor is there when there may be more.",
        },
      },
    )
    .get(
      "/v1/users/:user_id/profile",
      async ({ request, params: { user_id }, query: { fields }, headers }) => {
        const { errand } = guestOf(request);
        if (errand.person.userId !== user_id) throw new Problem(403, "PROFILE_FORBIDDEN", "a profile is for its owner only");
        const shape = shapes.get(headers["x-kenri-client"] ?? "web");
        if (!shape) throw badRequest(`X-Kenri-Client must be one of ${[...shapes.keys()].join(", ")}`);
        return aggregate(services, errand, user_id, wantedParts(fields), shape);
      },
      {
        params,
        query: Type.Object(
          {
            fields: Type.Optional(Type.String({ description: "the parts wanted, separated by commas; all by default" })),
            ticket_id: Type.Optional(Type.String({ maxLength: 200, description: "a matchmaking ticket; its part is absent so far" })),
          },
          strict,
        ),
        ...signedIn,
        detail: {
          summary: "Account, entitlements and ticket of the signed-in user in one answer",
          description:
            "X-Kenri-Client says for whom it is shaped: web (everything) or game (what a game shows). It has the first page of the entitlements; if there are more, entitlement.next_cursor leads on at /v1/users/{user_id}/entitlements.",
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
