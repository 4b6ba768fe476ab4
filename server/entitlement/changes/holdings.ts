import { Type } from "@sinclair/typebox";
import type { Cursors } from "../../kernel/http/cursor.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import { pageLimit } from "../../kernel/http/text.ts";
import { scannedPage } from "../../kernel/operator/scanned_page.ts";
import { sqlState } from "../../kernel/postgres/database.ts";
import type { EntitlementSql } from "../sql.gen.ts";

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;
// Almost every user has fewer entitlements, and gets all of them at once.
const preset = 100;
// A page of the past looks at so many of today's entitlements. Each that changed since costs a look-up in every later month of the audit:
// 1,000 took 10 ms with five months.
const scanned = 500;
// Base64url of a signature of 12 bytes and 200 characters of 4 bytes.
const longestCursor = 1100;

export const aboutPages =
  "An unknown user has none. next_cursor is there when there may be more; a page of the past may be short, or even empty, and have one.";

export const holdingsQuery = {
  as_of: Type.Optional(Type.String({ description: "read the past at this RFC 3339 time" })),
  limit: Type.Optional(pageLimit(`how many, ${preset} by default`)),
  cursor: Type.Optional(Type.String({ maxLength: longestCursor, description: "next_cursor of the page before, with the same as_of" })),
};

interface HoldingsQuery {
  readonly as_of?: string;
  readonly limit?: string;
  readonly cursor?: string;
}

export interface HoldingsOptions {
  readonly sql: EntitlementSql;
  readonly cursors: () => Cursors;
  readonly auditMonths: number;
}

/** A page of what a user has now, or had at a moment that the audit still knows, by stock_keeping_unit. */
export const holdings =
  ({ sql, cursors, auditMonths }: HoldingsOptions) =>
  async (user_id: string, { as_of, limit: asked, cursor }: HoldingsQuery) => {
    const limit = Number(asked ?? preset);
    if (as_of !== undefined) await requireKnown(sql, as_of, auditMonths);
    const list = JSON.stringify(["entitlements", user_id, as_of ?? null]);
    const after = cursor === undefined ? "" : cursors().read(list, cursor);
    const { page, last } = await read(sql, user_id, as_of, after, limit);
    return { user_id, entitlements: page, ...(last ? { next_cursor: cursors().make(list, last.stock_keeping_unit) } : {}) };
  };

async function read(sql: EntitlementSql, user_id: string, as_of: string | undefined, after: string, limit: number) {
  if (as_of !== undefined)
    return scannedPage(await sql.list_as_of({ user_id, as_of, after, limit: limit + 1, scan: scanned }), limit, scanned);
  const rows = await sql.list({ user_id, after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return { page, last: rows.length > limit ? page.at(-1) : undefined };
}

async function requireKnown(sql: EntitlementSql, as_of: string, auditMonths: number): Promise<void> {
  if (!moment.test(as_of))
    throw badRequest("as_of must be a time such as 2026-01-31T09:00:00Z", {
      errors: [{ pointer: "/as_of", detail: "must be an RFC 3339 time" }],
    });
  const [horizon] = await sql.audit.horizon({ keep_months: auditMonths, as_of }).catch(error => {
    throw sqlState(error).startsWith("22") ? badRequest("as_of is not a time that exists") : error;
  });
  if (horizon?.too_old) throw badRequest(`as_of lies beyond what the audit keeps (${auditMonths} months, from ${horizon.horizon} on)`);
  if (horizon?.in_future) throw badRequest("as_of lies in the future; leave it out to read the present");
}
