import { queryOptions } from "@tanstack/react-query";
import { ask, type EventJourney, type JourneyEvent, type JourneyNotification, type NotificationJourney, Refusal } from "./api.ts";
import type { Chain } from "./journey_steps.ts";

export interface Journey {
  readonly matchedBy: string | undefined;
  readonly chains: readonly Chain[];
  /** What one system could not tell, in its words; the other's part is shown all the same. */
  readonly troubles: readonly string[];
}

const nothing = { matched_by: null, events: [], notifications: [] };

/** An id that a system does not know, or that is not of a form it knows, is no trouble. */
const orNothing = (error: unknown) => {
  if (error instanceof Refusal && (error.status === 404 || error.status === 400)) return nothing;
  throw error;
};

/** Asks both systems about an id, then each about the events that only the other knew. */
export const journey = (id: string) =>
  queryOptions({
    queryKey: ["journey", id],
    queryFn: async (asking): Promise<Journey> => {
      const path = (one: string) => `journey/${encodeURIComponent(one)}`;
      const troubles: string[] = [];
      const failed = (system: string) => (error: Error) => {
        if (asking.signal.aborted) throw error;
        troubles.push(`${system}: ${error.message}`);
        return nothing;
      };
      const eventsOf = (one: string): Promise<EventJourney> =>
        ask<EventJourney>("entitlement", path(one), {}, asking).catch(orNothing).catch(failed("entitlement"));
      const notificationsOf = (one: string): Promise<NotificationJourney> =>
        ask<NotificationJourney>("notification", path(one), {}, asking).catch(orNothing).catch(failed("notification"));

      const [known, told] = await Promise.all([eventsOf(id), notificationsOf(id)]);
      const missingEvents = [...new Set(told.notifications.map(one => one.event_id))].filter(
        eventId => !known.events.some(event => event.event_id === eventId),
      );
      const missingTold = known.events
        .map(event => event.event_id)
        .filter(eventId => !told.notifications.some(one => one.event_id === eventId));
      const [moreEvents, moreTold] = await Promise.all([
        Promise.all(missingEvents.map(eventsOf)),
        Promise.all(missingTold.map(notificationsOf)),
      ]);

      const events = [...known.events, ...moreEvents.flatMap(answer => answer.events)];
      const notifications = [...told.notifications, ...moreTold.flatMap(answer => answer.notifications)];
      return {
        matchedBy: known.matched_by ?? told.matched_by ?? undefined,
        chains: chainsOf(events, notifications),
        troubles: [...new Set(troubles)],
      };
    },
  });

/** By event, newest first as the systems list them. */
export function chainsOf(events: readonly JourneyEvent[], notifications: readonly JourneyNotification[]): Chain[] {
  const ids = [...new Set([...events.map(event => event.event_id), ...notifications.map(one => one.event_id)])];
  return ids.map(eventId => ({
    eventId,
    event: events.find(event => event.event_id === eventId),
    notifications: notifications.filter(one => one.event_id === eventId),
  }));
}
