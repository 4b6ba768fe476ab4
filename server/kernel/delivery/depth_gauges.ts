import type { Bound } from "./due_bound.ts";

/** Where the counts start: below there are only dead index entries. */
export interface DepthFrom {
  readonly due_from: string;
  readonly lease_from: string;
}

export interface DepthOptions<State extends string> {
  readonly gauge: { set(labels: { state: State }, count: number): void };
  readonly oldest: { set(seconds: number): void };
  readonly states: readonly State[];
  readonly read: (from: DepthFrom) => Promise<(Readonly<Record<State, number>> & { readonly oldest_pending_seconds: number }) | undefined>;
}

/** Sets the gauges of a table: rows by state, and the age of the oldest open one. */
export function depthGauges<State extends string>({ gauge, oldest, states, read }: DepthOptions<State>, due: Bound, leases: Bound) {
  return async (): Promise<number> => {
    const row = await read({ due_from: due.from(), lease_from: leases.from() }).catch(error => {
      oldest.set(Number.NaN); // unknown: an old value would say that nothing waits
      throw error;
    });
    if (!row) return 0;
    for (const state of states) gauge.set({ state }, row[state]);
    oldest.set(row.oldest_pending_seconds);
    return 0;
  };
}
