import { choice, duration, integer, optional, type Settings, secretUrl, text } from "../kernel/config/config.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { channelNames } from "./delivery/channels.ts";

export const notificationSettings = {
  ownerUrl: optional(secretUrl("NOTIFICATION_DATABASE_URL", "the database as its owner: migrations")),
  appUrl: secretUrl("NOTIFICATION_APP_DATABASE_URL", "the database as the app role: everything else"),
  port: integer("NOTIFICATION_PORT", "the port of the API", 8082, { minimum: 0, maximum: 65535 }),
  natsUrls: roleNatsUrls("notification:api", "notification:consumer", "notification:sender"),
  healthPort: optional(
    integer("NOTIFICATION_HEALTH_PORT", "the health port of notification where it differs from HEALTH_PORT", undefined, {
      minimum: 0,
      maximum: 65535,
    }),
  ),
  stream: text("ENTITLEMENT_STREAM", "the JetStream stream of entitlement events", "entitlement-events"),
  consumer: text("ENTITLEMENT_CONSUMER", "notification's durable consumer on the stream", "notification-entitlement-consumer"),
  takenInSubject: text("TAKEN_IN_SUBJECT", "where notification answers which events it holds", "notification.taken-in"),
  intake: {
    patience: duration(
      "INTAKE_PATIENCE",
      "how long an event waits for an earlier one of its pair that another consumer has; then it is consumed without it",
      "2s",
      { minimum: "0ms", maximum: "1m" },
    ),
    batch: integer("INTAKE_BATCH", "the most events taken in by one statement", 200, { minimum: 1, maximum: 1000 }),
    ackWait: duration("CONSUMER_ACK_WAIT", "an event not acknowledged within this is delivered again", "30s", {
      minimum: "200ms",
      maximum: "10m",
    }),
    maxAckPending: integer("CONSUMER_MAX_ACK_PENDING", "events under way to all consumers together", 1000, {
      minimum: 1,
      maximum: 100_000,
    }),
  },
  channel: choice("NOTIFICATION_CHANNEL", "how a notification is delivered", "log", channelNames),
  firstAttempt: choice(
    "NOTIFICATION_FIRST_ATTEMPT",
    "who tries first: the consumer at once, or the sender; retries are the sender's",
    "consumer",
    ["consumer", "sender"],
  ),
  firstLease: duration(
    "NOTIFICATION_FIRST_LEASE",
    "how long the claim of a consumer holds, renewed while it sends; what a consumer that died had claimed is taken back after this",
    "2s",
    { minimum: "300ms", maximum: "10m" },
  ),
  inboxSubject: text("INBOX_SUBJECT", "with the channel stream: below it, hints that a user's feed has grown", "notification.inbox"),
  sender: {
    poll: duration("NOTIFICATION_POLL", "the sender looks for notifications this often, and at once when woken", "1s", {
      minimum: "10ms",
      maximum: "1m",
    }),
    batch: integer("NOTIFICATION_BATCH", "the most notifications in one claim", 50, { minimum: 1, maximum: 500 }),
    lanes: integer("NOTIFICATION_LANES", "claims under way at once in a sender", 2, { minimum: 1, maximum: 8 }),
    lease: duration("NOTIFICATION_LEASE", "how long a claim holds", "30s", { minimum: "300ms", maximum: "10m" }),
    maxAttempts: integer("NOTIFICATION_MAX_ATTEMPTS", "attempts before a notification is FAILED", 10, { minimum: 1, maximum: 100 }),
    sendWithin: duration("NOTIFICATION_SEND_WITHIN", "the deadline of a send", "5s", { minimum: "50ms", maximum: "1m" }),
    sweep: duration(
      "NOTIFICATION_SWEEP",
      "how often the claim looks at the whole backlog again, and leases that ran out are taken back",
      "3s",
      { minimum: "50ms", maximum: "1m" },
    ),
  },
  retention: {
    sent: duration("NOTIFICATION_RETENTION", "how long sent notifications are kept", "30d", { minimum: "0ms", maximum: "3650d" }),
    processedEvents: duration("PROCESSED_EVENTS_RETENTION", "how long event ids are known for deduplication", "30d", {
      minimum: "0ms",
      maximum: "3650d",
    }),
    processedMessagesTtl: duration("PROCESSED_MESSAGES_TTL", "how long a completed send is remembered", "24h", {
      minimum: "100ms",
      maximum: "30d",
    }),
    processedMessagesKeep: duration("PROCESSED_MESSAGES_KEEP", "how long after that its row is kept", "7d", {
      minimum: "0ms",
      maximum: "365d",
    }),
  },
  cleanup: duration("CLEANUP_EVERY", "how often what is past its retention is deleted", "1m", { minimum: "100ms", maximum: "1d" }),
} as const;

export type NotificationSettings = Settings<typeof notificationSettings>;
