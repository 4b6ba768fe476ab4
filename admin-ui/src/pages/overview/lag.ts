import type { SourceLag, SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";

/** The consumer lag at a point in time. */
export interface Sample {
  readonly at: number;
  readonly pending: number;
}

// The lag fluctuates between two responses. A trend needs this time.
const trendOver = 10_000;
const lookBack = 60_000;
const mostSamples = 60;

/** Whether the lag grows: it is larger than at any time in the last minute, except for the last seconds. */
export function isGrowing(samples: readonly Sample[]): boolean {
  const last = samples.at(-1);
  if (!last) return false;
  const before = samples.filter(({ at }) => at <= last.at - trendOver && at >= last.at - lookBack);
  return before.length > 0 && before.every(({ pending }) => pending < last.pending);
}

/** The samples of each source. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/** Adds the lags of a response that arrived at this time. A response that was added before changes nothing. */
export function withLags(samples: Samples, consumers: readonly SourceLag[], at: number): Samples {
  const next = new Map(samples);
  for (const { source, pending } of consumers) {
    const before = next.get(source) ?? [];
    if (pending !== null && before.at(-1)?.at !== at) next.set(source, [...before, { at, pending }].slice(-mostSamples));
  }
  return next;
}

/** The sources whose lag grows. */
export const growingIn = (samples: Samples): string[] => [...samples].flatMap(([source, some]) => (isGrowing(some) ? [source] : []));

/** Why the lag of a source has no numbers, if it has none. */
export function unreadText({ state }: Pick<SourceLag, "state">): string | undefined {
  if (state === "reading") return undefined;
  if (state === "no_stream") return "nothing was published yet";
  return state === "no_consumer" ? "unknown: nobody has read the stream yet" : "unknown: the stream is unreachable";
}

/** Whether the lag should be known and is not. A stream that does not exist has nothing waiting. */
const isUnknown = ({ state }: SourceLag) => state === "unknown" || state === "no_consumer";

/** The sources with an unknown lag, unless the broker is away: that is shown already. */
export function unknownLags({ dependencies, consumers }: SystemHealth): string[] {
  const isBrokerAway = dependencies.some(({ name, state }) => name === "broker" && state === "trouble");
  return isBrokerAway ? [] : consumers.filter(isUnknown).map(({ source }) => source);
}
