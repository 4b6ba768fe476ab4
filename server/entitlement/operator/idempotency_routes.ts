import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { maskFor } from "../../kernel/http/masking.ts";
import { anyId } from "../../kernel/http/text.ts";
import type { EntitlementSql } from "../sql.gen.ts";

// Each client and route may have used the key once. So many clients and routes do not share a real key.
const limit = 100;

/** The stored requests of an idempotency key, of every client. */
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
        summary: "The stored responses of an idempotency key",
        description:
          "Each client and route that used it, newest first, at most 100; empty if none did. `request_hash` is the fingerprint of the request, `replays` how often the stored response was returned: counted in memory and written about once a second, so a crash may lose some. Scope: ops:read.",
      },
    },
  );
