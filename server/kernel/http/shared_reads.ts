interface Entry {
  readonly result: Promise<unknown>;
  readonly freshUntil: number;
  isLoading: boolean;
}

export type Share = <Parameters extends unknown[], Result>(
  read: (...parameters: Parameters) => Promise<Result>,
) => (...parameters: Parameters) => Promise<Result>;

/**
 * Shares the results of reads between callers: a read with the same parameters gets the same result while it loads and for `milliseconds` after
 * its start. The result must depend on the parameters only, not on the caller. It is frozen, since all callers get the same object. Failures
 * are not cached. At most `most` results are kept.
 */
export function sharedReads(milliseconds: number, most = 100) {
  const entries = new Map<string, Entry>();
  let kinds = 0;
  const isFresh = ({ isLoading, freshUntil }: Entry) => isLoading || performance.now() < freshUntil;

  function load(key: string, read: () => Promise<unknown>): Promise<unknown> {
    // The oldest come first.
    for (const [old, entry] of entries) if (!isFresh(entry) || entries.size >= most) entries.delete(old);
    const entry: Entry = { result: read().then(frozen), freshUntil: performance.now() + milliseconds, isLoading: true };
    entries.set(key, entry);
    entry.result.then(
      () => {
        entry.isLoading = false;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    return entry.result;
  }

  const share: Share = <Parameters extends unknown[], Result>(read: (...parameters: Parameters) => Promise<Result>) => {
    const kind = kinds++;
    return (...parameters: Parameters) => {
      const key = `${kind} ${JSON.stringify(parameters)}`;
      const entry = entries.get(key);
      return (entry && isFresh(entry) ? entry.result : load(key, () => read(...parameters))) as Promise<Result>;
    };
  };

  return {
    share,
    /** Clears the cache. Later callers never get an older result, even one that is still loading. */
    clear: () => entries.clear(),
    size: () => entries.size,
  };
}

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
