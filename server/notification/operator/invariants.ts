import { always, brokenAfter, type Invariant, many, most, newest } from "../../kernel/operator/invariants.ts";
import type { NotificationSettings } from "../config.ts";
import type { NotificationSql } from "../sql.gen.ts";

// Leases that ran out are reclaimed every few seconds.
const reclaimedWithin = 60_000;

/** What must hold between consumed events, notifications, dead letters and feeds. */
export const invariantsOf = (
  { consistency, notifications }: NotificationSql,
  { retention, sources }: NotificationSettings,
): Invariant[] => [
  {
    name: "leases_run_out",
    about: "Notifications in flight whose lease ran out. A sender reclaims them within seconds.",
    look: () => notifications.leases_run_out({ most }),
    judge: brokenAfter(reclaimedWithin),
  },
  {
    name: "dead_letters_of_the_living",
    about: "Dead letters that were not requeued and whose notification is not FAILED.",
    bounded: `the newest ${many(most)} dead letters`,
    look: () => consistency.dead_but_alive({ scan: most }),
    judge: always("broken"),
  },
  {
    name: "failed_without_dead_letter",
    about: "FAILED notifications without a dead letter, or with one that is marked as requeued.",
    bounded: `the newest ${many(most)} that failed`,
    look: () => consistency.failed_without_dead_letter({ scan: most }),
    judge: always("broken"),
  },
  {
    name: "feed_gaps",
    about: "Notifications with a gap before their position in the user's feed. A client that follows the feed would wait for ever.",
    bounded: `the last ${many(newest)} sent`,
    look: () => consistency.feed_gaps({ scan: newest }),
    judge: always("broken"),
  },
  {
    name: "events_without_notification",
    about: "Consumed events without a notification, although it is too young to be deleted and was not discarded.",
    bounded: `the last ${many(newest)} consumed events`,
    look: () => consistency.untold({ retention_seconds: retention.sent / 1000, scan: newest }),
    judge: always("broken"),
  },
  {
    name: "announced_without_notice",
    about: "Requests to join that count as announced, without the consumed notice to their player.",
    bounded: `the last ${many(newest)} announced`,
    look: () =>
      consistency.announced_without_notice({
        keep_seconds: Math.min(sources.matchmaking.keep, retention.processedEvents) / 1000,
        scan: newest,
      }),
    judge: always("broken"),
  },
  {
    name: "half_announced_matches",
    about: "Matches that count as announced to only one of their players.",
    bounded: `the last ${many(newest)} announced`,
    look: () => consistency.half_announced_matches({ keep_seconds: sources.matchmaking.keep / 1000, scan: newest }),
    judge: always("broken"),
  },
];
