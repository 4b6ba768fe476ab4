import { type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/http/callers.ts";
import { verb } from "../kernel/http/custom_methods.ts";
import { longText, looseText, text } from "../kernel/http/text.ts";
import { actorOf } from "./answers.ts";
import { resolveIdentity } from "./identities.ts";
import type { AccountSql } from "./sql.gen.ts";

const maybe = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

const identity = Type.Object(
  {
    provider: text("the identity provider, e.g. its issuer"),
    subject: longText("whom it means: the sub claim"),
    email: maybe(looseText("the e-mail address")),
    email_verified: maybe(Type.Boolean({ description: "whether the provider has checked that address" })),
    name: maybe(looseText("the display name of a new user")),
    picture: maybe(looseText("the address of a picture; what is no http(s) address is left out")),
    roles: maybe(
      Type.Array(looseText("a role"), { maxItems: 100, description: "roles of a new user beside USER; unknown ones are left out" }),
    ),
  },
  { additionalProperties: false },
);

/** Who signed in is which user. */
export const identityRoutes = (sql: AccountSql, requires: Requires) =>
  new Elysia({ normalize: false }).post(
    verb("/identities", "resolve"),
    ({ body, request }) => resolveIdentity(sql, body, actorOf(request)),
    {
      body: identity,
      ...requires({ roles: ["GATEWAY"] }),
      detail: {
        operationId: "resolveIdentity",
        summary: "The user of an identity",
        description:
          "Made at the first sign-in; one user for one (provider, subject), also when asked in parallel. E-mail and picture of a known one are refreshed; what is absent or null stays. Role: GATEWAY.",
      },
    },
  );
