/** Runs of a busy key are handled beside all other messages that have arrived, so that these do not wait for them. */
export type Lane = "runs" | "others";

interface Keyed {
  /** Messages with the same key are handled in order. */
  readonly key: string;
  readonly seq: number;
  /** When it arrived. */
  readonly at: number;
}

// So many messages of one key that wait together are a run.
const runFrom = 4;

/** Messages that have arrived, until they are handled. A lane takes a batch of them. While a batch is handled, no lane takes others with its keys. */
export function createLanes<Message extends Keyed>() {
  let arrived: Message[] = [];
  const underWay = new Set<Message>();

  function freeFor(lane: Lane): Message[] {
    const busy = new Set(Array.from(underWay, ({ key }) => key));
    const free = arrived.filter(({ key }) => !busy.has(key));
    const byKey = [...Map.groupBy(free, ({ key }) => key).values()];
    return byKey.filter(some => some.length >= runFrom === (lane === "runs")).flat();
  }

  return {
    size: () => arrived.length,
    add(message: Message): void {
      arrived.push(message);
    },
    /** Returns and forgets the messages. Those that are being handled go on. */
    empty(): Message[] {
      const all = arrived;
      arrived = [];
      return all;
    },
    /** Forgets the messages that arrived before this time. */
    forgetBefore(time: number): void {
      if (arrived[0] && arrived[0].at < time) arrived = arrived.filter(({ at }) => at >= time);
    },
    has: (lane: Lane) => freeFor(lane).length > 0,
    /** What a lane handles next. A redelivered message comes late. Earlier messages go first, because later ones may wait for them. */
    take(lane: Lane, most: number): Message[] {
      const taken = freeFor(lane)
        .sort((a, b) => a.seq - b.seq)
        .slice(0, most);
      for (const message of taken) underWay.add(message);
      return taken;
    },
    /** They were handled. They may have been forgotten meanwhile. */
    handled(taken: readonly Message[]): void {
      const done = new Set(taken);
      arrived = arrived.filter(message => !done.has(message));
    },
    /** They are no longer being handled. Those that were not handled are taken again. */
    release(taken: readonly Message[]): void {
      for (const message of taken) underWay.delete(message);
    },
  };
}
