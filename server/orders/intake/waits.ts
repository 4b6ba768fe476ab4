import { Problem, unavailable } from "../../kernel/http/problem.ts";
import { after } from "../../kernel/life/deadline.ts";
import { loop } from "../../kernel/life/loop.ts";
import { sequence, service } from "../../kernel/life/service.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { LedgerFindRow, OrdersSql } from "../sql.gen.ts";

export interface WaitsOptions {
  readonly find: OrdersSql["ledger"]["find"];
  /** How many may wait at once. One client may have a quarter of these, and at least one. */
  readonly most: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const tooManyWait = () => unavailable("too many clients wait for orders in this process; try again, or read the order");

export const tooManyOwnWaits = (share: number) =>
  new Problem(429, "TOO_MANY_WAITS", `${share} waits of this client are under way in this process, its share; wait for their answers`, {
    headers: { "retry-after": "1" },
  });

type Answer = (row?: LedgerFindRow) => void;

// How long an outcome that another process settled stays unseen.
const every = 200;

/**
 * Clients that wait for the outcome of an order. One statement reads all their orders, every 200 ms and when it is woken; while nobody waits, nothing
 * is read. A stop answers all with what is recorded.
 */
export function orderWaits({ find, most, log, metrics }: WaitsOptions) {
  const waiting = new Map<string, Set<Answer>>();
  const share = Math.max(1, Math.floor(most / 4));
  const ofClients = new Map<string, number>();
  let count = 0;
  let isStopping = false;
  let arrived: (() => void) | undefined;

  const someoneWaits = (signal: AbortSignal) =>
    new Promise<void>(resolve => {
      const end = () => {
        arrived = undefined;
        signal.removeEventListener("abort", end);
        resolve();
      };
      arrived = end;
      signal.addEventListener("abort", end);
      if (waiting.size > 0 || signal.aborted) end();
    });

  function leavePlace(clientId: string): void {
    count--;
    const left = ofClients.get(clientId)! - 1;
    if (left > 0) ofClients.set(clientId, left);
    else ofClients.delete(clientId);
  }

  function answer(rows: readonly LedgerFindRow[]): void {
    for (const row of rows) for (const one of waiting.get(row.idempotency_key) ?? []) one(row);
  }

  const read = (settled_only: boolean) => find({ idempotency_key: [...waiting.keys()], settled_only });

  async function poll(signal: AbortSignal): Promise<number> {
    await someoneWaits(signal);
    if (waiting.size > 0) answer(await read(true));
    return 0;
  }

  const polling = loop({ name: "orders.waits", runOnce: poll, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
  const ending = service({
    start: async () => {},
    async stop() {
      isStopping = true;
      if (waiting.size > 0) answer(await read(false).catch(() => []));
      for (const answers of [...waiting.values()]) for (const one of answers) one();
    },
  });

  return {
    /**
     * Waits until a client's order, by its stored key, is settled, for at most so many milliseconds. Undefined if that is over, if the client is gone,
     * or if the process stops and the database does not answer.
     */
    wait(clientId: string, key: string, milliseconds: number, gone: AbortSignal): Promise<LedgerFindRow | undefined> {
      if (isStopping || gone.aborted) return Promise.resolve(undefined);
      const own = ofClients.get(clientId) ?? 0;
      if (own >= share) throw tooManyOwnWaits(share);
      if (count >= most) throw tooManyWait();
      return new Promise(resolve => {
        const end = (row?: LedgerFindRow) => {
          stopClock();
          gone.removeEventListener("abort", leave);
          const others = waiting.get(key);
          if (others?.delete(end)) leavePlace(clientId);
          if (others?.size === 0) waiting.delete(key);
          resolve(row);
        };
        const leave = () => end();
        const stopClock = after(milliseconds, leave);
        gone.addEventListener("abort", leave);
        count++;
        ofClients.set(clientId, own + 1);
        waiting.set(key, (waiting.get(key) ?? new Set<Answer>()).add(end));
        arrived?.();
      });
    },
    /** An order was settled in this process. */
    wake: polling.wake,
    service: sequence([polling, ending]),
  };
}

export type OrderWaits = ReturnType<typeof orderWaits>;
