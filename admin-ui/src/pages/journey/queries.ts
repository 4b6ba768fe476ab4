import { queryOptions } from "@tanstack/react-query";
import type { journeyOf as eventJourneyOf } from "../../../../server/entitlement/operator/journey.ts";
import type { SignatureFault } from "../../../../server/kernel/nats/signatures.ts";
import type { journeyOf as notificationJourneyOf } from "../../../../server/notification/operator/journey.ts";
import type { journeyOf as orderJourneyOf } from "../../../../server/orders/operator/journey.ts";
import type { Attempt, Narrow } from "../../api/answers.ts";
import { get } from "../../api/client.ts";
import { userPath } from "../../api/queries.ts";

/** An event that was deleted from the outbox has no status; its other fields are from the audit log. */
export type EventJourney = Awaited<ReturnType<typeof eventJourneyOf>>;
export type JourneyEvent = EventJourney["events"][number];

type NotificationAnswer = Awaited<ReturnType<typeof notificationJourneyOf>>;
export type JourneyNotification = Narrow<NotificationAnswer["notifications"][number], { attempts: readonly Attempt[] }>;
export type JourneyDeadLetter = Narrow<NotificationAnswer["raw_dead_letters"][number], { untrusted: SignatureFault | null }>;
export interface NotificationJourney {
  readonly matched_by: NotificationAnswer["matched_by"];
  readonly notifications: readonly JourneyNotification[];
  readonly raw_dead_letters: readonly JourneyDeadLetter[];
}

export type OrderJourney = Awaited<ReturnType<typeof orderJourneyOf>>;
export type JourneyOrder = OrderJourney["orders"][number];

/** Whether the user has or had any entitlement. */
export const hasEntitlements = (user: string) =>
  queryOptions({
    queryKey: ["has entitlements", user],
    queryFn: async context =>
      (await get<{ entitlements: unknown[] }>("entitlement", userPath(user, "entitlements"), { limit: 1 }, context)).entitlements.length >
      0,
  });
