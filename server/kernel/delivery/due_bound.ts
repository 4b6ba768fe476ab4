/** Where a claim may start to look, and where one look from there ends; null if it reaches all rows that are due. */
export interface Head {
  readonly bound: string;
  readonly reach?: string | null;
}

/** How many rows were claimed, and of how many aggregates. */
export interface Claimed {
  readonly count: number;
  readonly aggregates: number;
}

/** How often the bound moves at most. Between two moves a claim passes the dead index entries of the rows drained meanwhile. */
export const moveEvery = 250;

// Of so many claims at the front at least one also looks further back.
const mostSkipped = 7;

/**
 * The lower bound of the due times that a claim looks at. Without it, dead index entries (a long transaction keeps them) cost a claim tens of
 * milliseconds. A transaction that commits late may put rows below the bound: so every few seconds it starts again from the beginning.
 *
 * A claim looks at a bounded number of rows. Behind a few busy aggregates nearly all of these are blocked, and the rows further back would wait until
 * the front is drained. So each claim at the front is followed by one further back, each time at the next place.
 */
export function dueBound(head: (from: string) => Promise<Head | undefined>, sweepEvery: number) {
  let from = "-infinity";
  let lastSweep = Number.NEGATIVE_INFINITY;
  /** Where the first look ends, if it does not reach all rows. */
  let reach: string | undefined;
  let further: string | undefined;
  let hasClaimed = false;
  /** Looks further back in a row that found nothing: so many claims at the front come without one. */
  let fruitless = 0;
  let sinceFurther = 0;
  /** Whether few aggregates fill the front. Then a claim there looks at fewer rows: nearly all of them wait for those few. */
  let isNarrow = false;
  let lastMove = Number.NEGATIVE_INFINITY;
  const isSweepDue = () => performance.now() - lastSweep >= sweepEvery;

  /** Moves the bound to just below the oldest pending due time. */
  async function advance(): Promise<number> {
    const sweep = isSweepDue();
    if (sweep) lastSweep = performance.now();
    const found = await head(sweep ? "-infinity" : from);
    from = found?.bound ?? from;
    reach = found?.reach ?? undefined;
    return 0;
  }

  return {
    from: () => from,
    advance,
    /** The same before a claim, if rows were claimed since and it is time to move again, or to start again. */
    async follow(): Promise<void> {
      const now = performance.now();
      if (!(hasClaimed && now - lastMove >= moveEvery) && !isSweepDue()) return;
      [hasClaimed, lastMove] = [false, now];
      await advance();
    },
    /**
     * Claims at the front. If few aggregates fill it, claims further back too; if nothing can be claimed, up to the end of the backlog, or at `places`
     * places. The next search goes on there.
     */
    async claim(
      limit: number,
      claimFrom: (from: string, look: number) => Promise<Claimed>,
      mayGoOn: () => boolean,
      places = Number.POSITIVE_INFINITY,
    ): Promise<number> {
      const { count, aggregates } = await claimFrom(from, isNarrow ? limit : looksPerRow * limit);
      isNarrow = count > 0 && isOfFew({ count, aggregates }, limit);
      if (count > 0) hasClaimed = true;
      if (aggregates >= limit) return count;
      if (count > 0 && ++sinceFurther <= fruitless) return count;
      sinceFurther = 0;
      let sum = count;
      let start = further ?? reach;
      for (let looks = 0; looks < places && start !== undefined && mayGoOn(); looks++) {
        further = (await head(start))?.reach ?? undefined;
        sum += (await claimFrom(start, looksPerRow * limit)).count;
        start = sum === 0 ? further : undefined;
      }
      if (sum > count) fruitless = 0;
      else if (start === undefined) fruitless = Math.min(fruitless + 1, mostSkipped);
      return sum;
    },
  };
}

export const countClaimed = (rows: readonly { readonly aggregate_key: string }[]): Claimed => ({
  count: rows.length,
  aggregates: new Set(rows.map(row => row.aggregate_key)).size,
});

/** Whether so few aggregates were claimed that most rows near them wait for these. */
export const isOfFew = ({ aggregates }: Claimed, limit: number): boolean => aggregates * looksPerRow < limit;

/** A claim looks at this many rows for each one that it may take. */
export const looksPerRow = 4;

export type DueBound = ReturnType<typeof dueBound>;
export type Bound = Pick<DueBound, "from">;
