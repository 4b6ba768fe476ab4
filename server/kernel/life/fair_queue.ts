interface Entry<T> {
  readonly item: T;
  readonly owner: string;
  isTaken: boolean;
}

/** A line keeps its taken entries until they reach the front: nothing is moved when one leaves from the middle. */
interface Line<T> {
  entries: Entry<T>[];
  front: number;
  size: number;
}

// The taken front of a line is cut off at this length, so that a line that is never empty does not grow.
const mostTaken = 1024;

/** First in, first out for each owner; the owners take turns. Every operation costs the same however many wait. */
export function fairQueue<T extends object>() {
  // In the order of their turns.
  const lines = new Map<string, Line<T>>();
  const places = new Map<T, Entry<T>>();

  function drop(entry: Entry<T>): void {
    const line = lines.get(entry.owner)!;
    entry.isTaken = true;
    line.size--;
    places.delete(entry.item);
    if (line.size === 0) return void lines.delete(entry.owner);
    while (line.entries[line.front]!.isTaken) line.front++;
    while (line.entries.at(-1)!.isTaken) line.entries.pop();
    if (line.front < mostTaken) return;
    line.entries = line.entries.slice(line.front);
    line.front = 0;
  }

  return {
    size: () => places.size,
    sizeOf: (owner: string) => lines.get(owner)?.size ?? 0,
    push(owner: string, item: T): void {
      const entry = { item, owner, isTaken: false };
      const line = lines.get(owner);
      if (line) {
        line.entries.push(entry);
        line.size++;
      } else lines.set(owner, { entries: [entry], front: 0, size: 1 });
      places.set(item, entry);
    },
    /** The first item of the owner whose turn it is, if that one may have it; the owner's next turn comes after all others'. */
    take(mayHave: (owner: string) => boolean = () => true): T | undefined {
      for (const [owner, line] of lines) {
        if (!mayHave(owner)) continue;
        const entry = line.entries[line.front]!;
        drop(entry);
        if (lines.size > 1 && lines.delete(owner)) lines.set(owner, line);
        return entry.item;
      }
      return undefined;
    },
    /** Whether it was in the queue. */
    remove(item: T): boolean {
      const entry = places.get(item);
      if (entry) drop(entry);
      return entry !== undefined;
    },
    /** The owner with the most items, and how many. */
    largest(): { readonly owner: string; readonly size: number } | undefined {
      let found: { owner: string; size: number } | undefined;
      for (const [owner, { size }] of lines) if (!found || size > found.size) found = { owner, size };
      return found;
    },
    newestOf: (owner: string): T | undefined => lines.get(owner)?.entries.at(-1)?.item,
    /** Empties the queue. */
    drain(): T[] {
      const items = [...places.keys()];
      places.clear();
      lines.clear();
      return items;
    },
  };
}

export type FairQueue<T extends object> = ReturnType<typeof fairQueue<T>>;
