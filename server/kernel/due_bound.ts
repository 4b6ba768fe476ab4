/**
 * The lower bound of the due times that a claim looks at. Dead index entries below it (a long transaction keeps them alive) cost a claim
 * tens of milliseconds otherwise. Only an optimisation, because transactions commit late: every few seconds it starts from the beginning.
 */
export function dueBound(head: (from: string) => Promise<string | undefined>, sweepEvery: number) {
  let from = "-infinity";
  let lastSweep = Number.NEGATIVE_INFINITY;
  return {
    from: () => from,
    /** Moves the bound to just below the oldest pending due time. */
    async advance(): Promise<number> {
      const sweep = performance.now() - lastSweep >= sweepEvery;
      if (sweep) lastSweep = performance.now();
      from = (await head(sweep ? "-infinity" : from)) ?? from;
      return 0;
    },
  };
}
