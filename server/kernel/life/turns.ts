import { after } from "./deadline.ts";
import { fairQueue } from "./fair_queue.ts";

export interface TurnsOptions {
  /** How many may be under way at once, and of these how many of one owner. */
  readonly atOnce: number;
  readonly perOwner: number;
  /** How many may wait, and of these how many of one owner. */
  readonly mostWaiting: number;
  readonly mostWaitingPerOwner: number;
  /** How long one waits for its turn, in milliseconds. */
  readonly wait: number;
}

/** Why nobody got a turn: too many wait, or the wait was too long. */
export class NoTurn extends Error {
  override readonly name = "NoTurn";
}

interface Waiting {
  readonly owner: string;
  readonly go: () => void;
}

/** Lets so many at a time do something. The others wait, and the owners of those who wait take turns. */
export function turns({ atOnce, perOwner, mostWaiting, mostWaitingPerOwner, wait }: TurnsOptions) {
  const underWay = new Map<string, number>();
  const waiting = fairQueue<Waiting>();
  let taken = 0;
  const isFree = (owner: string) => taken < atOnce && (underWay.get(owner) ?? 0) < perOwner;

  /** The end of a turn; called again it does nothing. */
  function begin(owner: string): () => void {
    let isOver = false;
    taken++;
    underWay.set(owner, (underWay.get(owner) ?? 0) + 1);
    return () => {
      if (isOver) return;
      isOver = true;
      taken--;
      const others = underWay.get(owner)! - 1;
      if (others > 0) underWay.set(owner, others);
      else underWay.delete(owner);
      if (taken < atOnce) waiting.take(isFree)?.go();
    };
  }

  return {
    /** Waits for a turn; what it returns ends the turn and must be called. */
    take(owner: string): Promise<() => void> {
      if (isFree(owner)) return Promise.resolve(begin(owner));
      if (waiting.size() >= mostWaiting || waiting.sizeOf(owner) >= mostWaitingPerOwner)
        return Promise.reject(new NoTurn("too many wait already"));
      return new Promise((resolve, reject) => {
        const stopClock = after(wait, () => {
          if (waiting.remove(one)) reject(new NoTurn(`no turn within ${wait} ms`));
        });
        const go = () => {
          stopClock();
          resolve(begin(owner));
        };
        const one: Waiting = { owner, go };
        waiting.push(owner, one);
      });
    },
    underWay: () => taken,
    waiting: () => waiting.size(),
  };
}

export type Turns = ReturnType<typeof turns>;
