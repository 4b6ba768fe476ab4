import type { ConsumedAnswer } from "../../contracts/entitlement_events.ts";
import type { Service } from "../../kernel/life/service.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { isIds, type ResponderOptions, responder } from "./responder.ts";

export interface ConsumedResponderOptions extends ResponderOptions {
  readonly sql: Pick<NotificationSql, "consumed" | "remembers">;
  /** How long the ids of consumed events are to be kept, in milliseconds. */
  readonly remembers: number;
}

/** Answers entitlement's relay which of the asked events were consumed. A relay of an older version gets only the list. */
export const consumedResponder = ({ sql, remembers, ...options }: ConsumedResponderOptions): Service =>
  responder(options, async (ids, form) => {
    if (!isIds(ids)) throw new Error("the question is not a list of event ids");
    const held = (await sql.consumed({ event_id: ids })).map(row => row.event_id);
    if (form < 2) return held;
    const [{ remembers_seconds } = { remembers_seconds: 0 }] = await sql.remembers({ retention_seconds: remembers / 1000 });
    return { held, remembers_seconds } satisfies ConsumedAnswer;
  });
