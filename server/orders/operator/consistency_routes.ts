import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../../kernel/http/callers.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { examine } from "../../kernel/operator/invariants.ts";
import type { OrdersSql } from "../sql.gen.ts";
import { invariantsOf } from "./invariants.ts";

/** The invariants of orders. */
export function consistencyRoutes(sql: OrdersSql, requires: Requires, share: Share) {
  const invariants = invariantsOf(sql);
  const examined = share(() => examine(invariants));
  return new Elysia({ normalize: false }).get("/ops/consistency", async () => ({ invariants: await examined() }), {
    query: Type.Object({}, { additionalProperties: false }),
    ...requires("ops:read"),
    detail: {
      summary: "Whether the invariants hold",
      description:
        "Each invariant with how many rows break it, the oldest of them and up to five ids; `bounded` says what was examined, if not everything. Scope: ops:read.",
    },
  });
}
