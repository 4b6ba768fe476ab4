import { withTimeout } from "../life/deadline.ts";
import { type Service, service } from "../life/service.ts";
import { type Log, someIds } from "../telemetry/log.ts";
import { type Claim, type RenewedLease, renewedLease } from "./lease.ts";
import type { LostClaims } from "./lost_claims.ts";

export type { Claim } from "./lease.ts";

/** Parameters of a statement that may claim what it writes. */
export type Claiming =
  | { readonly worker: string; readonly token: string; readonly lease_seconds: number }
  | { readonly worker: null; readonly token: null; readonly lease_seconds: null };

export const unclaimed: Claiming = { worker: null, token: null, lease_seconds: null };

export interface Written<Row, Result> {
  readonly claimed: readonly Row[];
  /** Whether something was written that is not claimed. */
  readonly hasUnclaimed: boolean;
  readonly result: Result;
}

type Statement<Row, Result> = (claiming: Claiming) => Promise<Written<Row, Result>>;

/** Once a stop begins nothing more is claimed, of what is under way nothing is begun, and it waits for the rest. */
export interface ClaimOnWrite<Row> extends Service {
  /** Runs a statement that may claim what it writes, and makes the attempt at what it claimed in the background: nobody waits for it. */
  write<Result>(statement: Statement<Row, Result>): Promise<Result>;
}

export interface ClaimOnWriteOptions<Row> {
  readonly worker: string;
  /** How long a claim holds; it is renewed while the attempt goes on. */
  readonly lease: number;
  /** Lets a claim hold longer; false if it was lost. */
  readonly renew: (claim: Claim<Row>) => Promise<boolean>;
  readonly lost: Pick<LostClaims, "watch">;
  /** While so many are under way, what is written is left to the others; 0 = it always is. */
  readonly atOnce: number;
  readonly isReady?: () => boolean;
  /** A stop waits no longer than this: the lease ends. */
  readonly stopWithin: number;
  readonly deliver: (claim: Claim<Row>, stopping: AbortSignal) => Promise<void>;
  /** Tells the worker that makes all other attempts. */
  readonly wakeOthers: () => void;
  /** The event id of a row, for the log. */
  readonly idOf?: (row: Row) => string;
  readonly log: Log;
}

/**
 * Who writes work down makes the first attempt at it, claimed by the statement that writes it: it is done one commit and one wake-up sooner
 * than by a worker that has to find it. If the writer dies, the lease ends and the worker finds it, like any other: so the lease is short, and
 * renewed while the attempt goes on.
 */
export function claimOnWrite<Row>(options: ClaimOnWriteOptions<Row>): ClaimOnWrite<Row> {
  const { worker, lease, renew, lost, atOnce, isReady = () => true, stopWithin, deliver, wakeOthers, log } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let held = 0;
  let isLeft = false;

  async function attempt(kept: RenewedLease, rows: readonly Row[]): Promise<void> {
    const claim = { ...kept, rows };
    try {
      if (rows.length > 0) {
        kept.keepUp(() => renew(claim));
        await deliver(claim, stopping.signal);
      }
    } catch (error) {
      const ids = options.idOf ? someIds(rows.map(options.idOf)) : undefined;
      log.warn({ error, worker, count: rows.length, event_ids: ids }, "first_attempt");
    }
    void kept.letGo();
    held--;
    // What follows in the same aggregates could not be claimed before.
    if (isLeft) wakeOthers();
    isLeft &&= held > 0;
  }

  async function run<Result>(statement: Statement<Row, Result>, kept: RenewedLease | undefined): Promise<Result> {
    let rows: readonly Row[] = [];
    try {
      const written = kept
        ? await lost.watch(kept.token, () => statement({ worker, token: kept.token, lease_seconds: lease / 1000 }))
        : await statement(unclaimed);
      rows = written.claimed;
      if (written.hasUnclaimed) wakeOthers();
      isLeft ||= written.hasUnclaimed && held > 0;
      return written.result;
    } finally {
      if (kept) during(attempt(kept, rows));
    }
  }

  function during<Result>(work: Promise<Result>): Promise<Result> {
    const ended = work.then(
      () => void underWay.delete(ended),
      () => void underWay.delete(ended),
    );
    underWay.add(ended);
    return work;
  }

  async function end(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    ...service({
      start: async () => {},
      stop() {
        stopping.abort();
        return withTimeout(stopWithin, "a first attempt", end()).catch(error => log.warn({ error }, "first_attempt"));
      },
    }),
    write(statement) {
      if (held >= atOnce || stopping.signal.aborted || !isReady()) return run(statement, undefined);
      held++;
      return during(run(statement, renewedLease(lease)));
    },
  };
}
