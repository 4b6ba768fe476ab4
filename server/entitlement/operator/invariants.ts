import { always, brokenAfter, type examine, type Invariant, many, most, newest } from "../../kernel/operator/invariants.ts";
import type { EntitlementSettings } from "../config.ts";
import type { EntitlementSql } from "../sql.gen.ts";

const [minute, hour] = [60, 3600];
// Leases that ran out are reclaimed every few seconds.
const reclaimedWithin = 60_000;
const confirmedMissing = "confirmed_missing";

/** What must hold between entitlements, their audit, the outbox and the stream. */
export function invariantsOf(
  { consistency, outbox: events }: EntitlementSql,
  { stream, outbox: { overdue, retention } }: EntitlementSettings,
): Invariant[] {
  const unconfirmed = (older_than_seconds: number, younger_than_seconds: number | null) => () =>
    consistency.unconfirmed({ older_than_seconds, younger_than_seconds, most });
  return [
    {
      name: "unconfirmed_under_a_minute",
      about: "Events published less than a minute ago that notification is not yet known to hold. They are on their way.",
      look: unconfirmed(0, minute),
      judge: always("ok"),
    },
    {
      name: "unconfirmed_for_minutes",
      about: "Events published a minute to an hour ago that notification is not known to hold. It lags, or does not answer.",
      look: unconfirmed(minute, hour),
      judge: always("watch"),
    },
    {
      name: "unconfirmed_for_hours",
      about: "Events published more than an hour ago that notification is not known to hold. Their users have not been notified.",
      look: unconfirmed(hour, null),
      judge: always("broken"),
    },
    {
      name: "overdue",
      about: `Events not confirmed ${overdue / 1000} s after they were published. The reconciler publishes them again as soon as no message is on its way to notification.`,
      look: unconfirmed(overdue / 1000, null),
      judge: always("watch"),
    },
    {
      name: "lost_with_the_stream",
      about: "Events published before the stream was found to have lost messages, neither confirmed nor published again yet.",
      look: () => consistency.lost({ stream, most }),
      judge: always("watch"),
    },
    {
      name: confirmedMissing,
      about:
        "Confirmed events that notification no longer holds: its database was restored to an earlier state. Their users do not see them. Resend them.",
      look: () => consistency.missing({ most }),
      judge: always("broken"),
    },
    {
      name: "leases_run_out",
      about: "Events in flight whose lease ran out. A relay reclaims them within seconds.",
      look: () => events.leases_run_out({ most }),
      judge: brokenAfter(reclaimedWithin),
    },
    {
      name: "version_gaps",
      about: "Changes whose entitlement, audit and versions do not fit together: one is missing, or one is behind.",
      bounded: `the newest ${many(newest)} changes`,
      look: () => consistency.versions({ scan: newest }),
      judge: always("broken"),
    },
    {
      name: "changes_without_event",
      about: "Changes in the audit without an event in the outbox, although the event is too young to be deleted and was not discarded.",
      bounded: `the newest ${many(newest)} changes`,
      look: () => consistency.unannounced({ retention_seconds: retention / 1000, scan: newest }),
      judge: always("broken"),
    },
    {
      name: "events_without_change",
      about: "Events in the outbox without a change in the audit.",
      bounded: `the newest ${many(newest)} events`,
      look: () => consistency.unaudited({ scan: newest }),
      judge: always("broken"),
    },
  ];
}

type Examined = Awaited<ReturnType<typeof examine>>[number];

/** While the check of confirmed events is late, nobody knows whether notification still holds them: none found is no proof. */
export const withLateCheck = (
  found: readonly Examined[],
  { is_late, checked_at }: { is_late: boolean; checked_at: string | null },
): Examined[] =>
  found.map(one =>
    is_late && one.name === confirmedMissing && one.state === "ok"
      ? {
          ...one,
          state: "watch",
          about: `${one.about} The last check ended at ${checked_at}, so newer losses are not known: a relay that reaches notification checks again.`,
        }
      : one,
  );
