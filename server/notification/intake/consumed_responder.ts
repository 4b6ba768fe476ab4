import type { Service } from "../../kernel/life/service.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { isIds, type ResponderOptions, responder } from "./responder.ts";

/** Answers entitlement's relay which of the asked events were consumed. */
export const consumedResponder = (sql: Pick<NotificationSql, "consumed">, options: ResponderOptions): Service =>
  responder(options, async ids => {
    if (!isIds(ids)) throw new Error("the question is not a list of event ids");
    return (await sql.consumed({ event_id: ids })).map(row => row.event_id);
  });
