import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { anyId } from "../../kernel/http/text.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { journeyOf } from "./journey.ts";

/** The journey of an event in entitlement, by any of its ids. */
export const journeyRoutes = (sql: EntitlementSql, requires: Requires) =>
  new Elysia({ normalize: false }).get(
    "/ops/journey/:id",
    async ({ params: { id }, request }) => maskFor(callerOf(request), await journeyOf(sql, id)),
    {
      params: Type.Object({ id: anyId("an event, a trace, an idempotency key or a purchase") }),
      ...requires("ops:read"),
      detail: {
        summary: "The journey of an event, by any id",
        description:
          "At most 20 events, newest first; `matched_by` says what the id was, null if it is unknown. An event that has left the outbox is made from its audit. Scope: ops:read.",
      },
    },
  );
