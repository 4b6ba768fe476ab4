import type { EventDetail } from "../../../../server/entitlement/operator/outbox_routes.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export const eventDetail = (id: string) => detail<EventDetail>(kindOf("outbox"), id);
