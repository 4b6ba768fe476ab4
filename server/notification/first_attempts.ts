import type { Log } from "../kernel/log.ts";
import { type Service, service } from "../kernel/service.ts";
import type { Claim } from "./delivery.ts";
import type { NotificationsClaimRow } from "./sql.gen.ts";

type Hold = Omit<Claim, "rows">;

/** Of what is taken in: left to the sender. */
export const unclaimed = { worker: null, token: null, lease_seconds: null } as const;

export interface FirstAttempts extends Service {
  /** A claim for what is about to be taken in; none while the last one is under way: then it is the sender's. */
  claim(): Hold | undefined;
  /** Sends in the background: a slow channel keeps no event waiting. */
  send(claim: Hold, rows: readonly NotificationsClaimRow[]): void;
  /** Something was left to the sender. */
  leave(): void;
  /** A stop begins: no more claims, and of the one under way nothing that has not begun. */
  end(): void;
}

export interface FirstAttemptsOptions {
  readonly deliver: (claim: Claim, stopping: AbortSignal) => Promise<void>;
  readonly wakeSender: () => void;
  readonly log: Log;
}

/**
 * The first attempt is made by the consumer, which claims what it takes in with the statement that stores it: a notification is sent one
 * commit, not two and a wake-up, after it came. If the consumer dies, the lease ends and the sender finds it, like any other.
 */
export function firstAttempts({ deliver, wakeSender, log }: FirstAttemptsOptions): FirstAttempts {
  const stopping = new AbortController();
  let underWay: Promise<void> | undefined;
  let left = false;
  return {
    ...service({
      start: async () => {},
      async stop() {
        await underWay;
      },
    }),
    claim: () => (underWay || stopping.signal.aborted ? undefined : { token: crypto.randomUUID(), claimedAt: performance.now() }),
    send(claim, rows) {
      underWay = deliver({ ...claim, rows }, stopping.signal)
        .catch(error => log.warn({ error, count: rows.length }, "notification.first_attempt"))
        .finally(() => {
          underWay = undefined;
          // What follows in these aggregates could not be sent before.
          if (left) wakeSender();
          left = false;
        });
    },
    end: () => stopping.abort(),
    leave() {
      left = underWay !== undefined;
      wakeSender();
    },
  };
}
