import { sqlState } from "../kernel/database.ts";
import { badRequest } from "../kernel/problem.ts";
import type { EntitlementSql } from "./sql.gen.ts";

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

/** What a user has now, or had at a moment that the audit still knows. */
export const holdings = (sql: EntitlementSql, auditMonths: number) => async (user_id: string, as_of: string | undefined) => {
  if (as_of === undefined) return sql.list({ user_id });
  if (!moment.test(as_of))
    throw badRequest("as_of must be a time such as 2026-01-31T09:00:00Z", {
      errors: [{ pointer: "/as_of", detail: "must be an RFC 3339 time" }],
    });
  const [horizon] = await sql.audit.horizon({ keep_months: auditMonths, as_of }).catch(error => {
    throw sqlState(error).startsWith("22") ? badRequest("as_of is not a time that exists") : error;
  });
  if (horizon?.too_old) throw badRequest(`as_of lies beyond what the audit keeps (${auditMonths} months, from ${horizon.horizon} on)`);
  if (horizon?.in_future) throw badRequest("as_of lies in the future; leave it out to read the present");
  return sql.list_as_of({ user_id, as_of });
};
