import type { operatorRoutes } from "../../../../server/entitlement/operator/operator_routes.ts";
import type { Answer } from "../../api/answers.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export type EventDetail = Answer<typeof operatorRoutes, "ops/outbox/:event_id">;

export const eventDetail = (id: string) => detail<EventDetail>(kindOf("outbox"), id);
