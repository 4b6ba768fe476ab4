import type { operatorRoutes } from "../../../../server/notification/operator/operator_routes.ts";
import type { Answer, Attempt, Narrow } from "../../api/answers.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export type NotificationDetail = Narrow<Answer<typeof operatorRoutes, "ops/notifications/:notification_id">, { attempts: Attempt[] }>;

export const notificationDetail = (id: string) => detail<NotificationDetail>(kindOf("notifications"), id);
