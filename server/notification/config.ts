import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { feedHints } from "../contracts/feed_hints.ts";
import { matchEvents } from "../contracts/match_events.ts";
import { choice, duration, flag, integer, type Settings } from "../kernel/config/config.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { cleanupEvery, databaseSettings, healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";
import { channelNames } from "./delivery/channels.ts";

export const notificationSettings = {
  ...databaseSettings("notification"),
  port: portSetting("notification", 8082),
  natsUrls: roleNatsUrls("notification:api", "notification:consumer", "notification:sender", "notification:janitor"),
  healthPort: healthPortSetting("notification"),
  /** Where events come from. intake/sources.ts declares what becomes of them. */
  sources: {
    entitlement: {
      stream: entitlementEvents.stream,
      consumer: entitlementEvents.consumer,
      consumedSubject: entitlementEvents.consumedSubject,
    },
    matchmaking: {
      stream: matchEvents.stream,
      consumer: matchEvents.consumer,
      announcedSubject: matchEvents.announcedSubject,
      keep: matchEvents.keep,
    },
  },
  intake: {
    patience: duration(
      "INTAKE_PATIENCE",
      "how long an event waits for an earlier event of its user and stock keeping unit at another consumer; then it is consumed without that one",
      "2s",
      { minimum: "0ms", maximum: "1m" },
    ),
    batch: integer("INTAKE_BATCH", "the most events that one statement consumes", 200, { minimum: 1, maximum: 1000 }),
    ackWait: duration("CONSUMER_ACK_WAIT", "an event that is not acknowledged within this is redelivered", "30s", {
      minimum: "200ms",
      maximum: "10m",
    }),
    maxAckPending: integer("CONSUMER_MAX_ACK_PENDING", "the most unacknowledged events of all consumers together", 1000, {
      minimum: 1,
      maximum: 100_000,
    }),
  },
  channel: choice("NOTIFICATION_CHANNEL", "how a notification is delivered", "log", channelNames),
  firstAttempt: choice(
    "NOTIFICATION_FIRST_ATTEMPT",
    "who delivers a new notification: the consumer with the statement that stores it, or the sender; the sender makes all retries",
    "consumer",
    ["consumer", "sender"],
  ),
  inboxSubject: feedHints.subject,
  sender: {
    poll: duration("NOTIFICATION_POLL", "how often the sender polls for notifications; a wake-up makes it poll at once", "1s", {
      minimum: "10ms",
      maximum: "1m",
    }),
    batch: integer("NOTIFICATION_BATCH", "the most notifications in one claim", 50, { minimum: 1, maximum: 500 }),
    lanes: integer("NOTIFICATION_LANES", "claims that a sender works on at once", 2, { minimum: 1, maximum: 8 }),
    lease: duration("NOTIFICATION_LEASE", "the lease of a sender's claim", "30s", { minimum: "300ms", maximum: "10m" }),
    maxAttempts: integer("NOTIFICATION_MAX_ATTEMPTS", "attempts before a notification is FAILED", 10, { minimum: 1, maximum: 100 }),
    sendWithin: duration("NOTIFICATION_SEND_WITHIN", "the deadline of a send", "5s", { minimum: "50ms", maximum: "1m" }),
    sweep: duration("NOTIFICATION_SWEEP", "how often the claim scans the whole backlog, and expired leases are reclaimed", "3s", {
      minimum: "50ms",
      maximum: "1m",
    }),
  },
  retention: {
    sent: duration("NOTIFICATION_RETENTION", "how long sent notifications are kept", "30d", { minimum: "0ms", maximum: "3650d" }),
    processedEvents: duration("PROCESSED_EVENTS_RETENTION", "how long event ids are kept for deduplication", "30d", {
      minimum: "0ms",
      maximum: "3650d",
    }),
    processedMessagesKeep: duration("PROCESSED_MESSAGES_KEEP", "how long the row of a completed send is kept after it has expired", "7d", {
      minimum: "0ms",
      maximum: "365d",
    }),
  },
  cleanup: cleanupEvery,
  debugInbox: flag("DEBUG_INBOX", "serve the debug inbox also in production", false),
} as const;

export type NotificationSettings = Settings<typeof notificationSettings>;
