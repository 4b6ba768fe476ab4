import { isAway, sqlState, violatedConstraint } from "../kernel/database.ts";
import { DeadlineError } from "../kernel/deadline.ts";
import type { Claiming } from "../kernel/first_attempts.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { unavailable } from "../kernel/problem.ts";
import type { ChangeParameters, ChangeRow } from "./sql.gen.ts";

/** One request to grant or revoke. */
export interface Change {
  readonly clientId: string;
  readonly route: string;
  readonly key: string;
  readonly requestHash: string;
  readonly userId: string;
  readonly sku: string;
  readonly target: "ACTIVE" | "REVOKED";
  readonly source: string;
  readonly sourceId: string;
  readonly traceparent: string;
  readonly conflictBody: string;
  /** Given by a person at work: it goes to the audit of what operators did, in the transaction of the change. */
  readonly operatorReason?: string;
}

/** Requests as the change statement takes them. */
export type ChangeBatch = Omit<ChangeParameters, keyof Claiming | "stream" | "resend_before">;

export type Answer = Pick<ChangeRow, "replayed" | "same_request" | "response_code" | "response_body">;

interface Waiting {
  readonly change: Change;
  readonly locks: readonly [string, string];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export interface ChangesOptions {
  readonly run: (batch: ChangeBatch) => Promise<ChangeRow[]>;
  readonly lanes: number;
  readonly batch: number;
  readonly queue: number;
  readonly ttlSeconds: number;
  /** Called after a commit that made so many events. */
  readonly committed: (events: number) => void;
  /** Called for each stored answer that is given again. */
  readonly replayed: (change: Change) => void;
  readonly metrics: Metrics;
}

// Losing the race for a key happens once a rival; a deadlock has never been seen. Both end.
const maxRuns = 8;

/**
 * Lets concurrent requests share the change statement. A few lanes take what is ready and never wait for more. A request holds its
 * key and its (user, sku) from the moment it is ready until it is answered; a second one for either waits behind it, so a batch
 * never holds one twice. If a batch fails, its requests run one by one: one caller's trouble is never another's.
 */
export function changes({ run, lanes, batch, queue, ttlSeconds, committed, replayed, metrics }: ChangesOptions) {
  const ready: Waiting[] = [];
  const behind = new Map<string, Waiting[]>();
  let waiting = 0;
  let busyLanes = 0;
  const batchSize = metrics.histogram("change_batch_seconds", "Time of a batch of changes.");
  const batched = metrics.counter("changes_total", "Changes asked for, by outcome.", ["outcome"]);

  function admit(one: Waiting): void {
    const taken = one.locks.find(lock => behind.has(lock));
    if (taken !== undefined) return void behind.get(taken)!.push(one);
    for (const lock of one.locks) behind.set(lock, []);
    ready.push(one);
  }

  function release(one: Waiting): void {
    for (const lock of one.locks) {
      const followers = behind.get(lock) ?? [];
      behind.delete(lock);
      while (followers.length > 0 && !behind.has(lock)) admit(followers.shift()!);
      if (followers.length > 0) behind.set(lock, followers);
    }
  }

  function pump(): void {
    while (busyLanes < lanes && ready.length > 0) {
      busyLanes++;
      const taken = ready.splice(0, batch);
      void runLane(taken).finally(() => {
        busyLanes--;
        waiting -= taken.length;
        for (const one of taken) release(one);
        pump();
      });
    }
  }

  async function runLane(taken: readonly Waiting[]): Promise<void> {
    const stopTimer = batchSize.startTimer();
    try {
      deliver(taken, await runUntilSettled(taken));
    } catch (error) {
      const lockedElsewhere = sqlState(error) === "55P03";
      if (taken.length === 1 || (isAway(error) && !lockedElsewhere)) for (const one of taken) one.reject(error);
      else for (const one of taken) await runLane([one]);
      if (error instanceof DeadlineError) turnAwayWaiting(error);
    } finally {
      stopTimer();
    }
  }

  /** The database did not answer in time: who waits behind hears it now, not after as long again. */
  function turnAwayWaiting(error: unknown): void {
    const unlocked = ready.splice(0);
    const followers = [...behind.values()].flatMap(queued => queued.splice(0));
    for (const one of unlocked) for (const lock of one.locks) behind.delete(lock);
    for (const one of [...unlocked, ...followers]) one.reject(error);
    waiting -= unlocked.length + followers.length;
  }

  async function runUntilSettled(taken: readonly Waiting[]): Promise<ChangeRow[]> {
    const parameters = parametersOf(
      taken.map(one => one.change),
      ttlSeconds,
    );
    for (let runs = 1; ; runs++) {
      try {
        return await run(parameters);
      } catch (error) {
        const lostRace = sqlState(error) === "23505" && violatedConstraint(error) === "idempotency_keys_pkey";
        if (runs === maxRuns || !(lostRace || sqlState(error) === "40P01")) throw error;
      }
    }
  }

  function deliver(taken: readonly Waiting[], rows: readonly ChangeRow[]): void {
    let events = 0;
    for (const row of rows) {
      const outcome = row.replayed
        ? row.same_request
          ? "replayed"
          : "key_conflict"
        : row.response_code === 200
          ? "changed"
          : "state_conflict";
      batched.inc({ outcome });
      if (outcome === "changed") events++;
      const { change, resolve } = taken[row.n - 1]!;
      if (outcome === "replayed") replayed(change);
      resolve(row);
    }
    if (events > 0) committed(events);
    if (rows.length !== taken.length) throw new Error(`change.sql answered ${rows.length} of ${taken.length} requests`);
  }

  return {
    submit(change: Change): Promise<Answer> {
      if (waiting >= queue) return Promise.reject(unavailable("too many requests are waiting; try again"));
      waiting++;
      return new Promise((resolve, reject) => {
        const locks = [`key ${change.clientId}\n${change.route}\n${change.key}`, `pair ${change.sku}:${change.userId}`] as const;
        admit({ change, locks, resolve, reject });
        pump();
      });
    },
  };
}

export type Changes = ReturnType<typeof changes>;

const parametersOf = (batch: readonly Change[], ttl_seconds: number): ChangeBatch => ({
  client_id: batch.map(one => one.clientId),
  route: batch.map(one => one.route),
  idem_key: batch.map(one => one.key),
  request_hash: batch.map(one => one.requestHash),
  ttl_seconds,
  user_id: batch.map(one => one.userId),
  stock_keeping_unit: batch.map(one => one.sku),
  target: batch.map(one => one.target),
  source: batch.map(one => one.source),
  source_id: batch.map(one => one.sourceId),
  traceparent: batch.map(one => one.traceparent),
  conflict_body: batch.map(one => one.conflictBody),
  operator_reason: batch.map(one => one.operatorReason ?? null),
});
