import { text } from "../kernel/config/config.ts";

/** What entitlement and notification agree on: the stream of entitlement events and its names. */
export const entitlementEvents = {
  stream: text("ENTITLEMENT_STREAM", "the JetStream stream of entitlement events", "entitlement-events"),
  subject: text("ENTITLEMENT_SUBJECT", "the subject of entitlement events", "entitlement.events"),
  consumer: text("ENTITLEMENT_CONSUMER", "notification's durable consumer on the stream", "notification-entitlement-consumer"),
  consumedSubject: text(
    "TAKEN_IN_SUBJECT",
    "the subject on which notification answers which events it has consumed",
    "notification.taken-in",
  ),
} as const;

/** Which of the asked events notification holds, and how long it keeps their ids: it may have deleted those of older events. */
export interface ConsumedAnswer {
  readonly held: readonly string[];
  readonly remembers_seconds: number;
}
