import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/http/callers.ts";
import { languageTag, shortName, uuid } from "../kernel/http/text.ts";
import { actorOf, answerTo, noSuchUser } from "./answers.ts";
import { updateUser } from "./changes.ts";
import type { AccountSql } from "./sql.gen.ts";

const params = Type.Object({ user_id: uuid("the user") });

/** A user, to themselves and to those who look after them. */
export const userRoutes = (sql: AccountSql, requires: Requires) =>
  new Elysia({ normalize: false })
    .get(
      "/users/:user_id",
      async ({ params }) => {
        const [user] = await sql.users.find(params);
        if (!user) throw noSuchUser();
        return user;
      },
      {
        params,
        ...requires({ owner: true, roles: ["VIEWER", "OPERATOR", "ADMIN", "GATEWAY"] }),
        detail: { summary: "One user", description: "The user themselves, or a role: VIEWER, OPERATOR, ADMIN, GATEWAY." },
      },
    )
    .patch(
      "/users/:user_id",
      async ({ params: { user_id }, body: { locale, ...body }, request }) => {
        const given = { ...body, ...(locale === undefined ? {} : { locale: Intl.getCanonicalLocales(locale)[0]! }) };
        return answerTo(await updateUser(sql, { user_id, actor: actorOf(request) }, given));
      },
      {
        params,
        body: Type.Object(
          {
            display_name: Type.Optional(shortName("how the user is called")),
            locale: Type.Optional(languageTag("the user's language; kept in its canonical form")),
          },
          { additionalProperties: false, minProperties: 1 },
        ),
        ...requires({ owner: true, roles: ["ADMIN"] }),
        detail: {
          summary: "Change what is the user's own",
          description: "At least one field. The user themselves, unless suspended (403 ACCOUNT_INACTIVE), or the role ADMIN.",
        },
      },
    );
