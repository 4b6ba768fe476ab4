import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client.ts";
import {
  type JourneyDeadLetter,
  type JourneyNotification,
  journeyPath,
  type NotificationJourney,
  noJourney,
  notificationJourney,
  orNoJourney,
} from "../../api/journeys.ts";
import type { System } from "../../systems.ts";
import type { EventJourney, JourneyEvent, JourneyOrder, OrderJourney } from "./queries.ts";
import type { Chain } from "./steps.ts";

export interface Journey {
  readonly matchedBy: string | undefined;
  readonly chains: readonly Chain[];
  readonly orders: readonly JourneyOrder[];
  /** The errors of systems that did not respond. The parts of the other systems are still shown. */
  readonly troubles: readonly string[];
}

/** Searches the systems for an id, then entitlement and notification for the events that only the other one found. */
export const journey = (id: string) =>
  queryOptions({
    queryKey: ["journey", id],
    queryFn: async (context): Promise<Journey> => {
      const troubles = new Map<System, string>();
      const failed = (system: System) => (error: Error) => {
        if (context.signal.aborted) throw error;
        troubles.set(system, `${system}: ${error.message}`);
        return noJourney;
      };
      const eventsOf = (one: string): Promise<EventJourney> =>
        get<EventJourney>("entitlement", journeyPath(one), {}, context).catch(orNoJourney).catch(failed("entitlement"));
      const notificationsOf = (one: string): Promise<NotificationJourney> =>
        notificationJourney(one, context).catch(failed("notification"));
      const ordersOf = (one: string): Promise<OrderJourney> =>
        get<OrderJourney>("orders", journeyPath(one), {}, context).catch(orNoJourney).catch(failed("orders"));

      const [known, delivered, placed] = await Promise.all([eventsOf(id), notificationsOf(id), ordersOf(id)]);
      const missingEvents = eventsIn(delivered).filter(eventId => !known.events.some(event => event.event_id === eventId));
      const missingNotifications = known.events.map(event => event.event_id).filter(eventId => !eventsIn(delivered).includes(eventId));
      const [moreEvents, moreDelivered] = await Promise.all([
        Promise.all(missingEvents.map(eventsOf)),
        Promise.all(missingNotifications.map(notificationsOf)),
      ]);

      const events = [...known.events, ...moreEvents.flatMap(answer => answer.events)];
      const notifications = [...delivered.notifications, ...moreDelivered.flatMap(answer => answer.notifications)];
      const letters = [delivered, ...moreDelivered].flatMap(answer => answer.raw_dead_letters);
      return {
        matchedBy: known.matched_by ?? delivered.matched_by ?? placed.matched_by ?? undefined,
        chains: chainsOf(events, notifications, letters, [...troubles.keys()]),
        orders: placed.orders,
        troubles: [...troubles.values()],
      };
    },
  });

const eventsIn = ({ notifications, raw_dead_letters }: NotificationJourney): string[] => [
  ...new Set([...notifications.map(one => one.event_id), ...raw_dead_letters.flatMap(one => one.event_id ?? [])]),
];

/** Grouped by event, in the systems' order: newest first. */
export function chainsOf(
  events: readonly JourneyEvent[],
  notifications: readonly JourneyNotification[],
  letters: readonly JourneyDeadLetter[] = [],
  unasked: readonly System[] = [],
): Chain[] {
  const ids = new Set([
    ...events.map(event => event.event_id),
    ...notifications.map(one => one.event_id),
    ...letters.flatMap(one => one.event_id ?? []),
  ]);
  return [...ids].map(eventId => ({
    eventId,
    event: events.find(event => event.event_id === eventId),
    notifications: notifications.filter(one => one.event_id === eventId),
    letters: letters.filter(one => one.event_id === eventId),
    unasked,
  }));
}
