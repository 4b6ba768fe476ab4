/** Where a claim may start to look, and where one look from there ends; null if it sees everything that is due. */
export interface Head {
  readonly bound: string;
  readonly reach?: string | null;
}

interface Claimed {
  readonly count: number;
  /** Of so many aggregates. */
  readonly aggregates: number;
}

/**
 * The lower bound of the due times that a claim looks at. Dead index entries below it (a long transaction keeps them alive) cost a claim
 * tens of milliseconds otherwise. Only an optimisation, because transactions commit late: every few seconds it starts from the beginning.
 *
 * A claim looks at a bounded number of rows. Behind a few busy aggregates nearly all of these are blocked, and what is further back would wait until
 * the front is drained. So each claim at the front is followed by one further back, each time at the next place.
 */
export function dueBound(head: (from: string) => Promise<Head | undefined>, sweepEvery: number) {
  let from = "-infinity";
  let lastSweep = Number.NEGATIVE_INFINITY;
  /** Where the first look ends, if it does not see everything. */
  let reach: string | undefined;
  let further: string | undefined;
  return {
    from: () => from,
    /** Moves the bound to just below the oldest pending due time. */
    async advance(): Promise<number> {
      const sweep = performance.now() - lastSweep >= sweepEvery;
      if (sweep) lastSweep = performance.now();
      const found = await head(sweep ? "-infinity" : from);
      from = found?.bound ?? from;
      reach = found?.reach ?? undefined;
      return 0;
    },
    /** Claims at the front. If that is taken up by few aggregates, claims further back too; if nothing is to be had, up to the end of the backlog. */
    async claim(limit: number, claimFrom: (from: string) => Promise<Claimed>, stopping: AbortSignal): Promise<number> {
      const { count, aggregates } = await claimFrom(from);
      if (aggregates >= limit) return count;
      let sum = count;
      for (let start = further ?? reach; start !== undefined && !stopping.aborted; start = sum === 0 ? further : undefined) {
        further = (await head(start))?.reach ?? undefined;
        sum += (await claimFrom(start)).count;
      }
      return sum;
    },
  };
}

/** A claim's rows, counted. */
export const countClaimed = (rows: readonly { readonly aggregate_key: string }[]): Claimed => ({
  count: rows.length,
  aggregates: new Set(rows.map(row => row.aggregate_key)).size,
});

/** A claim looks at this many times as many rows as it may take. */
export const looksPerRow = 4;

export type Bound = Pick<ReturnType<typeof dueBound>, "from">;

/** How often the bound moves: between two moves a claim passes the dead entries of what was drained meanwhile. */
export const headEvery = 250;
/** How soon a lease that ran out is noticed. */
export const reclaimEvery = 1000;
