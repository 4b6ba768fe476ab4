import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { anyId } from "../../kernel/http/text.ts";
import { maskFor } from "../masking.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { journeyOf } from "./journey.ts";

/** The journey of an event in notification, by any of its ids. */
export const journeyRoutes = (sql: NotificationSql, requires: Requires) =>
  new Elysia({ normalize: false }).get(
    "/ops/journey/:id",
    async ({ params: { id }, request }) => maskFor(callerOf(request), await journeyOf(sql, id)),
    {
      params: Type.Object({ id: anyId("an event, a notification or a trace") }),
      ...requires("ops:read"),
      detail: {
        summary: "The journey of an event, by any id",
        description:
          "At most 20 notifications, newest first, with the messages of the event that could not be read; `matched_by` says what the id was, null if nothing is known of it, perhaps not yet. Scope: ops:read.",
      },
    },
  );
