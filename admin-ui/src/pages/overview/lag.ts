/** How far the consumer was behind the stream at a time. */
export interface Sample {
  readonly at: number;
  readonly pending: number;
}

// Between two answers the lag goes up and down; over this time a trend shows.
const trendOver = 10_000;
const lookBack = 60_000;

/** Whether the consumer falls further behind: the lag is larger than at any time of the last minute but the last seconds. */
export function isGrowing(samples: readonly Sample[]): boolean {
  const last = samples.at(-1);
  if (!last) return false;
  const before = samples.filter(({ at }) => at <= last.at - trendOver && at >= last.at - lookBack);
  return before.length > 0 && before.every(({ pending }) => pending < last.pending);
}
