/** How many orders are open at once: received, and neither answered nor left by the client. */
export interface AtOnce {
  /** Counts one more until it is answered or left; the first of these counts. Await `answered` before the answer is sent. */
  enter(): { answered(): Promise<void>; left(): void };
  counts(): { at_once: number; most_at_once: number };
}

interface Open {
  left: boolean;
}

// The end of a connection is noticed a few milliseconds late, when the client's next request may be here already. So the highest number is taken
// after this time, without the orders that were left meanwhile.
const noticedWithin = 100;

export function countAtOnce(): AtOnce {
  const open = new Set<Open>();
  let most = 0;
  return {
    enter() {
      const one: Open = { left: false };
      open.add(one);
      const together = [...open];
      const look = () => {
        most = Math.max(most, together.filter(({ left }) => !left).length);
      };
      setTimeout(() => void socketsRead().then(look), noticedWithin); // however late this timer is, the sockets are read before
      return {
        // If the client left before, this is noticed first.
        answered: async () => {
          await socketsRead();
          open.delete(one);
        },
        left: () => {
          one.left = open.delete(one);
        },
      };
    },
    counts: () => ({ at_once: open.size, most_at_once: most }),
  };
}

/** Waits until this process has read what its sockets have now. The first of the two phases may come without a look at them. */
const socketsRead = () => new Promise<void>(resolve => void setImmediate(() => setImmediate(resolve)));
