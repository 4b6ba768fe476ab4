import { idProblem } from "../../kernel/http/identifier.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import type { EntitlementSql } from "../sql.gen.ts";

/**
 * Refuses ids that may not be written. A pair from before the rule stays usable: it can be revoked, and a request that is sent again after its
 * answer was lost still gets that answer, unless its purchase or its reason breaks the rule.
 */
export async function checkIds({ known }: Pick<EntitlementSql, "known">, user_id: string, stock_keeping_unit: string): Promise<void> {
  const errors = Object.entries({ user_id, stock_keeping_unit }).flatMap(([name, value]) => {
    const detail = idProblem(value);
    return detail === undefined ? [] : [{ pointer: `/${name}`, detail }];
  });
  if (errors.length === 0 || (await known({ user_id, stock_keeping_unit }))[0]?.known) return;
  throw badRequest(`the request is not valid: ${errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ")}`, { errors });
}
