import type { NotificationsFindRow } from "../../../../server/notification/sql.gen.ts";
import type { Action, Attempt } from "../../api/answers.ts";
import { detail } from "../../api/queries.ts";
import { kindOf } from "../../systems.ts";

export type NotificationDetail = NotificationsFindRow & { readonly attempts: readonly Attempt[]; readonly actions: readonly Action[] };

export const notificationDetail = (id: string) => detail<NotificationDetail>(kindOf("notifications"), id);
