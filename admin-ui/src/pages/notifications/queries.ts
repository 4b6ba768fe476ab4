import type { NotificationDetail as NotificationAnswer } from "../../../../server/notification/operator/delivery_routes.ts";
import type { Attempt, Narrow } from "../../api/answers.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export type NotificationDetail = Narrow<NotificationAnswer, { attempts: Attempt[] }>;

export const notificationDetail = (id: string) => detail<NotificationDetail>(kindOf("notifications"), id);
