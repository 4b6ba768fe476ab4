import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/http/callers.ts";
import { verb } from "../kernel/http/custom_methods.ts";
import { notFound, Problem } from "../kernel/http/problem.ts";
import { anyId, longText, uuid } from "../kernel/http/text.ts";
import { actorOf, answerTo } from "./answers.ts";
import { reportErasure, requestErasure } from "./erasures.ts";
import type { AccountSql } from "./sql.gen.ts";

const strict = { additionalProperties: false };
/** Where the gateway reads the erasures that are not done, every few seconds. */
export const pendingErasuresPath = "/erasures";

const noSuchErasure = () => notFound("there is no such erasure");

/** Erasures: an ADMIN asks for one, the gateway carries it to the other systems and reports. */
export const erasureRoutes = (sql: AccountSql, requires: Requires) =>
  new Elysia({ normalize: false })
    .post(
      verb("/admin/users/:user_id", "erase"),
      async ({ params, body, request }) => {
        const asked = await requestErasure(sql, { user_id: params.user_id.toLowerCase(), actor: actorOf(request), reason: body.reason });
        if (!("pseudonym" in asked)) {
          if (asked.outcome === "own") throw new Problem(409, "OWN_ACCOUNT", "nobody can erase themselves; ask another ADMIN");
          return answerTo(asked);
        }
        return { pseudonym: asked.pseudonym, requested: asked.outcome === "requested" };
      },
      {
        params: Type.Object({ user_id: uuid("the user") }),
        body: Type.Object({ reason: longText("why; kept in the audit") }, strict),
        ...requires({ roles: ["ADMIN"] }),
        detail: {
          operationId: "eraseUser",
          summary: "Erase a user's personal data in every system",
          description:
            "The user is suspended at once; the rest is done in the background. Repeated, it returns the erasure under way. It cannot be undone. Role: ADMIN.",
        },
      },
    )
    .get(
      "/admin/erasures/:user_id",
      async ({ params }) => {
        const [found] = await sql.erasures.find({ id: params.user_id.toLowerCase() });
        if (!found) throw noSuchErasure();
        return found;
      },
      {
        params: Type.Object({ user_id: anyId("the pseudonym, or the user while the erasure is not done") }),
        ...requires({ roles: ["VIEWER", "OPERATOR", "ADMIN"] }),
        detail: { summary: "One erasure, with what each system says about it", description: "Roles: VIEWER, OPERATOR, ADMIN." },
      },
    )
    .get(pendingErasuresPath, async () => ({ erasures: await sql.erasures.pending() }), {
      ...requires({ roles: ["GATEWAY"] }),
      detail: { summary: "The erasures that are not done", description: "Role: GATEWAY." },
    })
    .put(
      `${pendingErasuresPath}/:pseudonym`,
      async ({ params: { pseudonym }, body: { systems } }) => {
        const found = await reportErasure(sql, pseudonym, systems);
        if (!found) throw noSuchErasure();
        return { state: found.state };
      },
      {
        params: Type.Object({ pseudonym: anyId("the erasure") }),
        body: Type.Object(
          {
            systems: Type.Record(
              Type.String(),
              Type.Object(
                {
                  state: Type.Union([Type.Literal("WORKING"), Type.Literal("DONE")]),
                  waiting_for: Type.Array(Type.String()),
                  changed: Type.Record(Type.String(), Type.Number()),
                },
                strict,
              ),
            ),
          },
          strict,
        ),
        ...requires({ roles: ["GATEWAY"] }),
        detail: {
          summary: "What the other systems say about an erasure",
          description: "If all are done, account erases its own rows. Role: GATEWAY.",
        },
      },
    );
