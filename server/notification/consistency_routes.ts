import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../kernel/callers.ts";
import { examine } from "../kernel/invariants.ts";
import { sharedAnswer } from "../kernel/shared_answer.ts";
import type { NotificationSettings } from "./config.ts";
import { invariantsOf } from "./invariants.ts";
import type { NotificationSql } from "./sql.gen.ts";

/** Whether the books fit together. */
export function consistencyRoutes(sql: NotificationSql, requires: Requires, settings: NotificationSettings) {
  const invariants = invariantsOf(sql, settings);
  // However many look at once, the books are compared once.
  const examined = sharedAnswer(0, () => examine(invariants));
  return new Elysia({ normalize: false }).get("/ops/consistency", async () => ({ invariants: await examined() }), {
    query: Type.Object({}, { additionalProperties: false }),
    ...requires("ops:read"),
    detail: {
      summary: "Whether the books fit together",
      description:
        "Each invariant with how many rows break it, the oldest of them and up to five ids; `bounded` says what was looked at, if not everything. Scope: ops:read.",
    },
  });
}
