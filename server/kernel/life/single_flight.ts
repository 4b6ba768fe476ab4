/** While a question is being answered, whoever asks the same gets that answer. */
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
    /** Later callers ask anew, even what is still under way. */
    forget: () => underWay.clear(),
  };
}
