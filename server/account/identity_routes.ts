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
    subject: longText("the sub claim"),
    email: maybe(looseText("the e-mail address")),
    email_verified: maybe(Type.Boolean({ description: "whether the provider has verified the address" })),
    name: maybe(looseText("the display name of a new user")),
    picture: maybe(looseText("the URL of a picture; any other than http(s) is dropped")),
    roles: maybe(
      Type.Array(looseText("a role"), { maxItems: 100, description: "roles of a new user beside USER; unknown ones are dropped" }),
    ),
  },
  { additionalProperties: false },
);

/** Resolves an identity of a provider to a user. */
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
          "Created at the first sign-in; one user for one (provider, subject), also for concurrent requests. E-mail address and picture of a known user are refreshed; absent and null values change nothing. Role: GATEWAY.",
      },
    },
  );
