import type { Log } from "../kernel/telemetry/log.ts";
import type { Metrics } from "../kernel/telemetry/metrics.ts";

/** How many tickets a script has ended without a match. */
export interface EndedTickets {
  readonly expired: number;
  readonly invalid: number;
}

/** Gets what each script of a mode has ended. */
export type NoteEnded = (mode: string, ended: EndedTickets) => void;

/** Counts the tickets that scripts of this role have ended. Any role may be the first to meet a ticket that has expired or is broken. */
export function countEnded(metrics: Metrics, log: Log): NoteEnded {
  const expired = metrics.counter("matchmaking_expired_total", "Tickets that ended because nobody was found in time.", ["mode"]);
  const invalid = metrics.counter("matchmaking_invalid_total", "Tickets that ended because they were broken.", ["mode"]);
  return (mode, ended) => {
    expired.inc({ mode }, ended.expired);
    invalid.inc({ mode }, ended.invalid);
    if (ended.invalid > 0) log.error({ mode, count: ended.invalid }, "matchmaking.invalid");
  };
}
