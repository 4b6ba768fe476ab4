/** The consumer lag at a point in time. */
export interface Sample {
  readonly at: number;
  readonly pending: number;
}

// The lag fluctuates between two responses. A trend needs this time.
const trendOver = 10_000;
const lookBack = 60_000;

/** Whether the lag grows: it is larger than at any time in the last minute, except for the last seconds. */
export function isGrowing(samples: readonly Sample[]): boolean {
  const last = samples.at(-1);
  if (!last) return false;
  const before = samples.filter(({ at }) => at <= last.at - trendOver && at >= last.at - lookBack);
  return before.length > 0 && before.every(({ pending }) => pending < last.pending);
}
