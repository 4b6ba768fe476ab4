import type { SignatureFault } from "../../../server/kernel/nats/signatures.ts";
import type { journeyOf } from "../../../server/notification/operator/journey.ts";
import type { Attempt, Narrow } from "./answers.ts";
import { ApiError, get, type QueryContext } from "./client.ts";

type NotificationAnswer = Awaited<ReturnType<typeof journeyOf>>;
export type JourneyNotification = Narrow<NotificationAnswer["notifications"][number], { attempts: readonly Attempt[] }>;
export type JourneyDeadLetter = Narrow<NotificationAnswer["raw_dead_letters"][number], { untrusted: SignatureFault | null }>;
export interface NotificationJourney {
  readonly matched_by: NotificationAnswer["matched_by"];
  readonly notifications: readonly JourneyNotification[];
  readonly raw_dead_letters: readonly JourneyDeadLetter[];
}

export const journeyPath = (id: string) => `journey/${encodeURIComponent(id)}`;

export const noJourney = { matched_by: null, events: [], notifications: [], raw_dead_letters: [], orders: [] };

/** An id that a system does not have, or cannot parse, is not an error. */
export function orNoJourney(error: unknown) {
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) return noJourney;
  throw error;
}

/** What notification knows of an event, a notification or a trace. */
export const notificationJourney = (id: string, context: QueryContext): Promise<NotificationJourney> =>
  get<NotificationJourney>("notification", journeyPath(id), {}, context).catch(orNoJourney);
