import { always, brokenAfter, type Invariant, many, most, newest } from "../../kernel/operator/invariants.ts";
import type { NotificationSettings } from "../config.ts";
import type { NotificationSql } from "../sql.gen.ts";

// Leases that ran out are taken back every few seconds.
const takenBackWithin = 60_000;

/** What must hold between events taken in, notifications, dead letters and feeds. */
export const invariantsOf = ({ consistency }: NotificationSql, { retention }: NotificationSettings): Invariant[] => [
  {
    name: "leases_run_out",
    about: "Notifications in flight whose sender has not come back in time. Another sender takes them back within seconds.",
    look: () => consistency.leases({ most }),
    judge: brokenAfter(takenBackWithin),
  },
  {
    name: "dead_letters_of_the_living",
    about: "Dead letters that nobody put back and whose notification has not failed.",
    bounded: `the newest ${many(most)} dead letters`,
    look: () => consistency.dead_but_alive({ scan: most }),
    judge: always("broken"),
  },
  {
    name: "failed_without_dead_letter",
    about: "Failed notifications without a dead letter, or with one that says it was put back.",
    bounded: `the newest ${many(most)} that failed`,
    look: () => consistency.failed_without_dead_letter({ scan: most }),
    judge: always("broken"),
  },
  {
    name: "feed_gaps",
    about: "Notifications before which a position of their user's feed is missing: a client that follows it would wait for ever.",
    bounded: `the ${many(newest)} sent last`,
    look: () => consistency.feed_gaps({ scan: newest }),
    judge: always("broken"),
  },
  {
    name: "events_without_notification",
    about: "Events taken in that led to no notification, although it is too young to be deleted and nobody discarded it.",
    bounded: `the ${many(newest)} events taken in last`,
    look: () => consistency.untold({ retention_seconds: retention.sent / 1000, scan: newest }),
    judge: always("broken"),
  },
];
