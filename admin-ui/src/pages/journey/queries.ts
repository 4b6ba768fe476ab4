import { queryOptions } from "@tanstack/react-query";
import type { journeyOf as eventJourneyOf } from "../../../../server/entitlement/operator/journey.ts";
import type { journeyOf as orderJourneyOf } from "../../../../server/orders/operator/journey.ts";
import { get } from "../../api/client.ts";
import { userPath } from "../../api/queries.ts";

/** An event that was deleted from the outbox has no status; its other fields are from the audit log. */
export type EventJourney = Awaited<ReturnType<typeof eventJourneyOf>>;
export type JourneyEvent = EventJourney["events"][number];

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
