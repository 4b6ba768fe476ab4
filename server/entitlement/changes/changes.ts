import type { Claiming } from "../../kernel/delivery/claim_on_write.ts";
import { unavailable } from "../../kernel/http/problem.ts";
import { after, DeadlineError } from "../../kernel/life/deadline.ts";
import { type FairQueue, fairQueue } from "../../kernel/life/fair_queue.ts";
import { isAway, sqlState, violatedConstraint } from "../../kernel/postgres/database.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { ChangeParameters, ChangeRow } from "../sql.gen.ts";

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
  /** Stops the clock of its wait. */
  readonly stopClock: () => void;
}

export interface ChangesOptions {
  readonly run: (batch: ChangeBatch) => Promise<ChangeRow[]>;
  readonly lanes: number;
  readonly batch: number;
  readonly queue: number;
  /** How long a request waits for its turn at most, in milliseconds; at least half as long. */
  readonly wait: number;
  readonly ttlSeconds: number;
  /** Called after a commit that made so many events. */
  readonly committed: (events: number) => void;
  /** Called for each stored answer that is given again. */
  readonly replayed: (change: Change) => void;
  readonly metrics: Metrics;
}

// Losing the race for a key happens once a rival; a deadlock has never been seen. Both end.
const maxRuns = 8;

// A client with many waiting is asked for a longer pause, one second more for so many: thousands that come again each second cost more than changes do.
const waitingPerSecond = 500;
const mostPause = 10;

/**
 * Lets concurrent requests share the change statement. A few lanes take what is ready and never wait for more. A request holds its
 * key and its (user, sku) from the moment it is ready until it is answered; a second one for either waits behind it, so a batch
 * never holds one twice. If a batch fails, its requests run one by one: one caller's trouble is never another's.
 *
 * Clients take turns, in a batch and behind a pair. A full queue takes a request of a client with few in place of the newest one of the
 * client with the most. A request that has not run within `wait` is refused; those that came together are not refused together, or they would
 * come again together, and everybody else would wait behind them. What is refused here was never sent, and never will be.
 */
export function changes({ run, lanes, batch, queue, wait, ttlSeconds, committed, replayed, metrics }: ChangesOptions) {
  // Every request that does not run yet, and of these the ones that nothing holds up.
  const waiting = fairQueue<Waiting>();
  const ready = fairQueue<Waiting>();
  // The locks that are held, each with the requests behind it, if there are any.
  const behind = new Map<string, FairQueue<Waiting> | undefined>();
  let running = 0;
  let busyLanes = 0;
  const batchSize = metrics.histogram("change_batch_seconds", "Time of a batch of changes.");
  const batched = metrics.counter("changes_total", "Changes asked for, by outcome.", ["outcome"]);

  function admit(one: Waiting): void {
    const taken = one.locks.find(lock => behind.has(lock));
    if (taken !== undefined) return void followersOf(taken).push(one.change.clientId, one);
    for (const lock of one.locks) behind.set(lock, undefined);
    ready.push(one.change.clientId, one);
  }

  function followersOf(lock: string): FairQueue<Waiting> {
    const followers = behind.get(lock) ?? fairQueue<Waiting>();
    behind.set(lock, followers);
    return followers;
  }

  function release(one: Waiting): void {
    for (const lock of one.locks) {
      const followers = behind.get(lock);
      behind.delete(lock);
      while (followers && followers.size() > 0 && !behind.has(lock)) admit(followers.take()!);
      if (followers && followers.size() > 0) behind.set(lock, followers);
    }
  }

  function pump(): void {
    while (busyLanes < lanes && ready.size() > 0) {
      busyLanes++;
      const taken = takeBatch();
      running += taken.length;
      void runLane(taken).finally(() => {
        busyLanes--;
        running -= taken.length;
        for (const one of taken) release(one);
        pump();
      });
    }
  }

  function takeBatch(): readonly Waiting[] {
    const taken: Waiting[] = [];
    while (taken.length < batch && ready.size() > 0) taken.push(ready.take()!);
    for (const one of taken) stopWaiting(one);
    return taken;
  }

  function stopWaiting(one: Waiting): void {
    waiting.remove(one);
    one.stopClock();
  }

  /** Takes a request out of the queue; whoever waited behind it goes on. */
  function withdraw(one: Waiting, error: unknown): void {
    stopWaiting(one);
    if (ready.remove(one)) release(one);
    else for (const lock of one.locks) behind.get(lock)?.remove(one);
    one.reject(error);
    pump();
  }

  function refuse(one: Waiting, outcome: string, detail: string): void {
    batched.inc({ outcome });
    withdraw(one, comeAgain(one.change.clientId, detail));
  }

  const comeAgain = (clientId: string, detail: string) =>
    unavailable(detail, Math.min(mostPause, 1 + Math.floor(waiting.sizeOf(clientId) / waitingPerSecond)));

  /** Whether there is room for one more of this client, if need be by refusing the newest request of the client with the most. */
  function makeRoom(clientId: string): boolean {
    if (waiting.size() + running < queue) return true;
    const most = waiting.largest();
    if (!most || waiting.sizeOf(clientId) + 1 >= most.size) return false;
    refuse(waiting.newestOf(most.owner)!, "crowded_out", "too many requests of this client are waiting; nothing was changed, try again");
    return true;
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
    for (const one of ready.drain()) for (const lock of one.locks) behind.delete(lock);
    for (const followers of behind.values()) followers?.drain();
    for (const one of waiting.drain()) {
      one.stopClock();
      one.reject(error);
    }
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
      if (!makeRoom(change.clientId)) return Promise.reject(comeAgain(change.clientId, "too many requests are waiting; try again"));
      return new Promise((resolve, reject) => {
        const locks = [`key ${change.clientId}\n${change.route}\n${change.key}`, `pair ${change.sku}:${change.userId}`] as const;
        const tooLate = () => refuse(one, "too_late", "the request waited too long for its turn; nothing was changed, try again");
        const one: Waiting = { change, locks, resolve, reject, stopClock: after(wait * (0.5 + Math.random() / 2), tooLate) };
        waiting.push(change.clientId, one);
        admit(one);
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
