import { becomes } from "../../stack/wait.ts";
import type { TestKenri } from "./kenri.ts";

/** The requests of clients and their responses. */
export interface Ledger {
  /** The number of different requests (idempotency keys) for each aggregate. */
  readonly asked: Map<string, number>;
  /** The versions of an aggregate that were answered with 200. */
  readonly granted: Map<string, Set<number>>;
  /** How often each status occurred; 0 = no response. */
  readonly answers: Map<number, number>;
  readonly slowest: () => number;
}

export interface TrafficOptions {
  readonly clients?: number;
  /** The number of clients that grant and revoke one aggregate each; the others use a new user each time. */
  readonly hot?: number;
  /** Milliseconds between a response and the client's next request. */
  readonly pause?: number;
  /** Ends by itself after this many requests, of which each client makes its share; otherwise at stop(). */
  readonly requests?: number;
  /** The APIs, called in turn. Preset: the one that was started last. */
  readonly bases?: readonly string[];
  readonly prefix?: string;
}

export interface Traffic {
  readonly ledger: Ledger;
  /** All requests were made. */
  readonly done: Promise<void>;
  stop(): Promise<Ledger>;
}

/** Clients that grant and revoke. A request without a final response is sent again with the same key. */
export function traffic(
  kenri: TestKenri,
  { clients = 8, hot = 4, pause = 5, requests = Number.POSITIVE_INFINITY, bases, prefix = "user" }: TrafficOptions = {},
): Traffic {
  let stopping = false;
  let made = 0;
  let slowest = 0;
  const ledger: Ledger = { asked: new Map(), granted: new Map(), answers: new Map(), slowest: () => slowest };

  async function client(index: number): Promise<void> {
    // By share: else a fast client with one aggregate could make more versions of it than one claim takes.
    for (let turn = 0; !stopping && turn * clients + index < requests; turn++) {
      const user = index < hot ? `${prefix}-hot-${index}` : `${prefix}-${index}-${turn}`;
      await change(index < hot && turn % 2 === 1 ? kenri.revoke : kenri.grant, user, made++);
      await becomes(pause, () => stopping, pause);
    }
  }

  async function change(send: TestKenri["grant"], user: string, request: number): Promise<void> {
    const aggregate = `${user}:item`;
    const key = crypto.randomUUID();
    ledger.asked.set(aggregate, (ledger.asked.get(aggregate) ?? 0) + 1);
    for (let attempt = 0; ; attempt++) {
      const since = performance.now();
      const response = await send(user, "item", { key, ...(bases ? { base: bases[(request + attempt) % bases.length]! } : {}) }).catch(
        () => undefined,
      );
      slowest = Math.max(slowest, performance.now() - since);
      const status = response?.status ?? 0;
      ledger.answers.set(status, (ledger.answers.get(status) ?? 0) + 1);
      if (status === 200) return note(aggregate, ((await response!.json()) as { version: number }).version);
      if (status !== 0 && status < 500) throw new Error(`${user}: ${status} ${await response!.text()}`);
      if (stopping) return;
      await becomes(50, () => stopping, 25);
    }
  }

  const note = (aggregate: string, version: number) =>
    void ledger.granted.set(aggregate, (ledger.granted.get(aggregate) ?? new Set()).add(version));

  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index))).then(() => {});
  all.catch(() => {});
  return {
    ledger,
    done: all,
    async stop() {
      stopping = true;
      await all;
      return ledger;
    },
  };
}

export const countOf = (map: ReadonlyMap<string, Set<number>>): number =>
  [...map.values()].reduce((sum, versions) => sum + versions.size, 0);
