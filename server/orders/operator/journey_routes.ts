import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { looseText } from "../../kernel/http/text.ts";
import { maskFor } from "../masking.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { journeyOf } from "./journey.ts";

/** The journey of an order, by its id or its key. */
export const journeyRoutes = (sql: OrdersSql, requires: Requires) =>
  new Elysia({ normalize: false }).get(
    "/ops/journey/:id",
    async ({ params: { id }, request }) => maskFor(callerOf(request), await journeyOf(sql, id)),
    {
      // A stored key is longer than the client's own.
      params: Type.Object({ id: looseText("an order's id, its stored key, or a client's own key") }),
      ...requires("ops:read"),
      detail: {
        summary: "The journey of an order, by its id or its key",
        description:
          "At most 20 orders, newest first; `matched_by` says what the id was, null if it is unknown. A client's own key may match orders of several clients. A settled order that has left the outbox has no `outbox` and no `calls`. Scope: ops:read.",
      },
    },
  );
