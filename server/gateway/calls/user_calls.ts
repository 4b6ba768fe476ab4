import { Problem } from "../../kernel/http/problem.ts";
import { DeadlineError, withTimeout } from "../../kernel/life/deadline.ts";

export interface UserCallsOptions {
  /** So many calls of one user may be under way at once. */
  readonly most: number;
  /** So many milliseconds the next ones wait for their turn. */
  readonly wait: number;
  readonly refused: () => void;
}

interface Waiting {
  hasTurn: boolean;
  readonly start: () => void;
}

interface Own {
  running: number;
  readonly waiting: Waiting[];
}

// So many wait for each that is under way; the rest is refused at once.
const waitingEach = 8;

/** Bounds how much of the services one user can occupy through this gateway, in however many sessions. */
export function userCalls({ most, wait, refused }: UserCallsOptions) {
  const users = new Map<string, Own>();

  function busy(): Problem {
    refused();
    return new Problem(429, "TOO_MANY_AT_ONCE", `${most} requests of this user are under way already; wait for their answers`, {
      headers: { "retry-after": "1" },
    });
  }

  function finish(userId: string, own: Own): void {
    const next = own.waiting.shift();
    if (next) {
      next.hasTurn = true;
      next.start();
    } else if (--own.running === 0) users.delete(userId);
  }

  async function turn(userId: string, own: Own): Promise<void> {
    if (own.running < most) {
      own.running++;
      return;
    }
    if (own.waiting.length >= most * waitingEach) throw busy();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting: Waiting = { hasTurn: false, start: resolve };
    own.waiting.push(waiting);
    try {
      await withTimeout(wait, "a turn", promise);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      // Its turn may have come with the deadline: then it is the next one's.
      if (waiting.hasTurn) finish(userId, own);
      else own.waiting.splice(own.waiting.indexOf(waiting), 1);
      throw busy();
    }
  }

  /** Does the work when it is this user's turn; 429 if that does not come soon. A turn ends with its work, whoever still waits for the answer. */
  return async function inTurn<T>(userId: string, isGone: () => boolean, work: () => Promise<T>): Promise<T> {
    const own = users.get(userId) ?? { running: 0, waiting: [] };
    users.set(userId, own);
    await turn(userId, own);
    try {
      if (isGone()) throw busy();
      return await work();
    } finally {
      finish(userId, own);
    }
  };
}
