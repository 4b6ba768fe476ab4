import type { OutboxFindRow } from "../../../../server/entitlement/sql.gen.ts";
import type { Action } from "../../api/answers.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export type EventDetail = OutboxFindRow & { readonly actions: readonly Action[] };

export const eventDetail = (id: string) => detail<EventDetail>(kindOf("outbox"), id);
