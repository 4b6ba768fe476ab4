import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { anyId } from "../../kernel/http/text.ts";
import type { EntitlementSql } from "../sql.gen.ts";

// A client and a route may have used it once each; more than this many of them are no key but a habit.
const limit = 100;

/** What is kept of an idempotency key, by everybody who used it. */
export const idempotencyRoutes = (sql: EntitlementSql, requires: Requires) =>
  new Elysia({ normalize: false }).get(
    "/ops/idempotency/:key",
    async ({ params: { key }, request }) => {
      const rows = await sql.idempotency.find({ idem_key: key, limit });
      const keys = rows.map(({ response_body, ...row }) => ({ ...row, answer: JSON.parse(response_body) as unknown }));
      return maskFor(callerOf(request), { idem_key: key, keys });
    },
    {
      params: Type.Object({ key: anyId("the Idempotency-Key") }),
      ...requires("ops:read"),
      detail: {
        summary: "What is kept of an idempotency key",
        description:
          "Each client and route that used it, newest first, at most 100; nobody: none. `request_hash` is the fingerprint of the request, `replays` how often the answer was given again: counted in memory and written about once a second, so a crash may lose some. Scope: ops:read.",
      },
    },
  );
