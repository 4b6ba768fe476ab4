import { withTimeout } from "../life/deadline.ts";
import { type Service, service } from "../life/service.ts";
import { type Log, someIds } from "../telemetry/log.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import { type Claim, type RenewedLease, renewedLease } from "./lease.ts";
import type { LostClaims } from "./lost_claims.ts";

export type { Claim } from "./lease.ts";

/** Parameters of a statement that may claim the rows it writes. */
export type Claiming =
  | { readonly worker: string; readonly token: string; readonly lease_seconds: number }
  | { readonly worker: null; readonly token: null; readonly lease_seconds: null };

export const unclaimed: Claiming = { worker: null, token: null, lease_seconds: null };

/** One statement's turn. Either `start` or `fail` ends it; what is called after that does nothing. */
export interface Reservation<Row> {
  /** With a token if the statement may claim. */
  readonly claiming: Claiming;
  /** The statement has committed. Starts the attempt at the claimed rows in the background. `hasUnclaimed`: it also wrote rows without a claim. */
  start(claimed: readonly Row[], hasUnclaimed: boolean): void;
  /** The statement failed. If it may have committed, the rows that it claimed are requeued. */
  fail(error: unknown): void;
}

/** A reservation and its attempt. */
interface Turn {
  isWakeDue: boolean;
}

/** After a stop has begun, nothing is claimed and no attempt is started. The stop waits for reservations and attempts under way. */
export interface ClaimOnWrite<Row> extends Service {
  /** Comes before a statement that writes rows: reserve → run the statement with `claiming` → start. */
  reserve(): Reservation<Row>;
}

export interface ClaimOnWriteOptions<Row> {
  readonly worker: string;
  /** How long a claim holds, in milliseconds. It is renewed during the attempt. */
  readonly lease: number;
  /** Renews a claim; false if it was lost. */
  readonly renew: (claim: Claim<Row>) => Promise<boolean>;
  readonly lost: Pick<LostClaims, "failed">;
  /** How many reservations and attempts may be under way. Rows written beyond that are not claimed; 0 = none ever is. */
  readonly atOnce: number;
  readonly isReady?: () => boolean;
  /** A stop waits no longer than this: the lease ends. */
  readonly stopWithin: number;
  readonly deliver: (claim: Claim<Row>, stopping: AbortSignal) => Promise<void>;
  /** Wakes the worker that makes all other attempts. */
  readonly wakeOthers: () => void;
  /** The event id of a row, for the log. */
  readonly idOf?: (row: Row) => string;
  readonly log: Log;
}

/**
 * The process that writes a row makes the first attempt at it: the statement that writes the row also claims it. This saves one commit and one
 * wake-up against a worker that has to find the row. If the writer dies, its lease ends and the worker finds the row like any other. So the lease
 * is short, and renewed during the attempt.
 */
export function claimOnWrite<Row>(options: ClaimOnWriteOptions<Row>): ClaimOnWrite<Row> {
  const { worker, lease: milliseconds, renew, lost, atOnce, isReady = () => true, stopWithin, deliver, wakeOthers, log } = options;
  const stopping = new AbortController();
  /** Reservations and attempts under way. `isWakeDue`: rows without a claim were written meanwhile. */
  const underWay = new Set<Turn>();
  let allEnded = () => {};

  /** Rows without a claim may follow rows under way in the same aggregates. Those can be claimed only after the attempt: so it wakes twice. */
  function noteUnclaimed(hasUnclaimed: boolean): void {
    if (!hasUnclaimed) return;
    wakeOthers();
    for (const one of underWay) one.isWakeDue = true;
  }

  function end(turn: Turn): void {
    underWay.delete(turn);
    if (turn.isWakeDue) wakeOthers();
    if (underWay.size === 0) allEnded();
  }

  async function attempt(turn: Turn, lease: RenewedLease, rows: readonly Row[]): Promise<void> {
    const claim = { ...lease, rows };
    lease.keepRenewing(() => renew(claim));
    try {
      await deliver(claim, stopping.signal);
    } catch (error) {
      const ids = options.idOf ? someIds(rows.map(options.idOf)) : undefined;
      repeatsOf(log).write("warn", { error, worker, count: rows.length, event_ids: ids }, "first_attempt.failed", { burst: rowBurst });
    }
    void lease.stopRenewing();
    end(turn);
  }

  const withoutClaim: Reservation<Row> = {
    claiming: unclaimed,
    start: (_, hasUnclaimed) => noteUnclaimed(hasUnclaimed),
    fail: () => {},
  };

  function withClaim(): Reservation<Row> {
    const lease = renewedLease(milliseconds);
    const turn: Turn = { isWakeDue: false };
    let isOpen = true;
    underWay.add(turn);
    return {
      claiming: { worker, token: lease.token, lease_seconds: milliseconds / 1000 },
      start(claimed, hasUnclaimed) {
        if (!isOpen) return;
        isOpen = false;
        noteUnclaimed(hasUnclaimed);
        if (claimed.length > 0) void attempt(turn, lease, claimed);
        else end(turn);
      },
      fail(error) {
        if (!isOpen) return;
        isOpen = false;
        lost.failed(lease.token, error);
        end(turn);
      },
    };
  }

  return {
    ...service({
      start: async () => {},
      stop() {
        stopping.abort();
        const ended = new Promise<void>(resolve => {
          allEnded = resolve;
          if (underWay.size === 0) resolve();
        });
        return withTimeout(stopWithin, "a first attempt", ended).catch(error => log.warn({ error }, "first_attempt.unfinished"));
      },
    }),
    reserve: () => (underWay.size >= atOnce || stopping.signal.aborted || !isReady() ? withoutClaim : withClaim()),
  };
}
