/** Calls for the same key share the call that is under way. */
export function singleFlight<T>() {
  const underWay = new Map<string, Promise<T>>();
  return {
    underWay: (key: string): Promise<T> | undefined => underWay.get(key),
    ask(key: string, ask: () => Promise<T>): Promise<T> {
      const known = underWay.get(key);
      if (known) return known;
      const asking: Promise<T> = ask().finally(() => {
        if (underWay.get(key) === asking) underWay.delete(key);
      });
      underWay.set(key, asking);
      return asking;
    },
    /** Later calls start anew, even if one is under way. */
    forget: () => underWay.clear(),
  };
}
