import { unavailable } from "../../kernel/http/problem.ts";
import { after, DeadlineError } from "../../kernel/life/deadline.ts";
import { type FairQueue, fairQueue } from "../../kernel/life/fair_queue.ts";
import { isAway, sqlState, violatedConstraint } from "../../kernel/postgres/database.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { ChangeRow } from "../sql.gen.ts";
import type { ChangeBatch } from "./write_changes.ts";

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
  /** The reason of an operator. It is written to the audit of operator actions, in the transaction of the change. */
  readonly operatorReason?: string;
}

export type Answer = Pick<ChangeRow, "replayed" | "same_request" | "response_code" | "response_body">;

interface Waiting {
  readonly change: Change;
  readonly locks: readonly [string, string];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  /** Cancels the timer of its wait. */
  readonly stopClock: () => void;
}

export interface ChangesOptions {
  readonly run: (batch: ChangeBatch) => Promise<ChangeRow[]>;
  readonly lanes: number;
  readonly batch: number;
  readonly queue: number;
  /** How long a request waits for its turn, in milliseconds: a random time between half of this and all of it. */
  readonly wait: number;
  /** After a batch the next one waits for more requests, for at most so many times as long as the batch took. */
  readonly gather?: number;
  readonly ttlSeconds: number;
  /** Called after a commit, with the number of new events. */
  readonly committed: (events: number) => void;
  /** Called for each stored response that is replayed. */
  readonly replayed: (change: Change) => void;
  readonly metrics: Metrics;
}

// Retry limit. Each lost race means that a rival committed, so this cannot go on forever. A deadlock has never been seen.
const maxRuns = 8;

// Behind a batch that runs for longer, small batches may run beside it. A batch of 64 takes about 10 ms; one that waits for a lock takes much longer.
const slowAfter = 25;

// Without it the clients of a closed loop fall into two halves that take turns, and a statement carries only one of them. (Measured at 64 connections: 60
// grants a statement instead of 28, 0.83 of the CPU time, 1.15 of the rate, and a shorter answer.)
const gatherFactor = 2;

// Retry-After grows by one second for so many waiting requests of the client: thousands of retries each second would cost more than the changes.
const waitingPerSecond = 500;
const mostPause = 10;

/**
 * Runs concurrent requests in batches, one statement for each. A request on an idle system runs at once. While a batch runs, requests wait and run
 * together after it: a statement for many costs less for each. They also wait for as many new requests as the batch has answered, but not for longer
 * than twice its time. Another lane runs beside it if a full batch waits, or if the batch takes long.
 * A request locks its key and its pair (user, sku) from the moment it is ready until it is answered. A second request for either waits behind it, so a
 * batch never has one twice. If a batch fails, its requests run one by one, so that one request cannot fail the others.
 *
 * Clients take turns, in a batch and behind a pair. If the queue is full, a request of a client with few waiting requests replaces the newest one of
 * the client with the most. A request that has not run within `wait` is refused. The wait is random: requests that came together are not refused
 * together, and do not come again together. A request that is refused here was never sent to the database.
 */
export function changes(options: ChangesOptions) {
  const { run, lanes, batch, queue, wait, gather = gatherFactor, ttlSeconds, committed, replayed, metrics } = options;
  // All requests that do not run yet, and those of them that wait behind no lock.
  const waiting = fairQueue<Waiting>();
  const ready = fairQueue<Waiting>();
  // The held locks, each with the requests behind it.
  const behind = new Map<string, FairQueue<Waiting> | undefined>();
  let running = 0;
  /** The batches under way, each with its start. */
  const underWay = new Set<{ readonly since: number }>();
  let isLookDue = false;
  /** When the next batch runs on idle lanes: with so many requests, or at this time. */
  let next = { size: 1, at: 0 };
  const batchSeconds = metrics.histogram("change_batch_seconds", "Time of a batch of changes.");
  const outcomes = metrics.counter("changes_total", "Changes asked for, by outcome.", ["outcome"]);

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
    while (ready.size() > 0 && mayRun()) {
      const lane = { since: performance.now() };
      underWay.add(lane);
      const taken = takeBatch();
      running += taken.length;
      void runLane(taken).finally(() => {
        underWay.delete(lane);
        running -= taken.length;
        for (const one of taken) release(one);
        awaitOthers(taken.length, lane.since);
        pump();
      });
    }
    if (ready.size() > 0 && underWay.size < lanes) lookLater();
  }

  /** The clients that were just answered may send again at once: their requests run together with those that wait already. */
  function awaitOthers(answered: number, since: number): void {
    const now = performance.now();
    next = { size: Math.min(batch, answered + ready.size()), at: now + Math.min(slowAfter, gather * (now - since)) };
  }

  /** Whether one more batch may run now. */
  function mayRun(): boolean {
    if (underWay.size === lanes) return false;
    const now = performance.now();
    if (underWay.size === 0) return ready.size() >= next.size || now >= next.at;
    return ready.size() >= batch || underWay.values().every(({ since }) => now - since >= slowAfter);
  }

  /** Looks again when the youngest batch under way becomes slow, or when the next batch is due. */
  function lookLater(): void {
    if (isLookDue) return;
    isLookDue = true;
    const due = underWay.size === 0 ? next.at : Math.max(...underWay.values().map(({ since }) => since)) + slowAfter;
    after(Math.max(1, Math.ceil(due - performance.now())), () => {
      isLookDue = false;
      pump();
    });
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

  /** Takes a request out of the queue. The requests behind it go on. */
  function withdraw(one: Waiting, error: unknown): void {
    stopWaiting(one);
    if (ready.remove(one)) release(one);
    else for (const lock of one.locks) behind.get(lock)?.remove(one);
    one.reject(error);
    pump();
  }

  function refuse(one: Waiting, outcome: string, detail: string): void {
    outcomes.inc({ outcome });
    withdraw(one, retryLater(one.change.clientId, detail));
  }

  const retryLater = (clientId: string, detail: string) =>
    unavailable(detail, Math.min(mostPause, 1 + Math.floor(waiting.sizeOf(clientId) / waitingPerSecond)));

  /** Whether there is room for one more request of this client. May refuse the newest request of the client with the most. */
  function makeRoom(clientId: string): boolean {
    if (waiting.size() + running < queue) return true;
    const most = waiting.largest();
    if (!most || waiting.sizeOf(clientId) + 1 >= most.size) return false;
    refuse(waiting.newestOf(most.owner)!, "crowded_out", "too many requests of this client are waiting; nothing was changed, try again");
    return true;
  }

  async function runLane(taken: readonly Waiting[]): Promise<void> {
    const stopTimer = batchSeconds.startTimer();
    try {
      deliver(taken, await runUntilSettled(taken));
    } catch (error) {
      const lockedElsewhere = sqlState(error) === "55P03";
      if (taken.length === 1 || (isAway(error) && !lockedElsewhere)) for (const one of taken) one.reject(error);
      else for (const one of taken) await runLane([one]);
      if (error instanceof DeadlineError) refuseWaiting(error);
    } finally {
      stopTimer();
    }
  }

  /** The database did not answer in time. The waiting requests are refused now, not after the same time again. */
  function refuseWaiting(error: unknown): void {
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
      outcomes.inc({ outcome });
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
      if (!makeRoom(change.clientId)) return Promise.reject(retryLater(change.clientId, "too many requests are waiting; try again"));
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
