import { text } from "../kernel/config/config.ts";

/** What notification and gateway agree on: the subject of the hints. */
export const feedHints = {
  subject: text(
    "INBOX_SUBJECT",
    "the subject below which notification publishes hints that a user's feed has grown, with the channel stream",
    "notification.inbox",
  ),
} as const;
