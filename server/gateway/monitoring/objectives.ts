import type { Prometheus, Sample } from "./prometheus.ts";

/**
 * `measured`: its budget is known. `soon`: there are units, and Prometheus computes the budget within five minutes. `no_traffic`: no unit in 28 days.
 * `no_data`: no process reports it. `unknown`: no traffic or no data; the first measurements could not be read.
 */
export type ObjectiveState = "measured" | "soon" | "no_traffic" | "no_data" | "unknown";

/** An objective of docs/slo.md. Ratios are the share of bad units; null without units. */
export interface Objective {
  readonly slo: string;
  readonly objective: number;
  readonly state: ObjectiveState;
  /** 1: nothing of the error budget is used; 0: all of it; below: the objective is missed. */
  readonly budget_remaining: number | null;
  readonly error_28d: number | null;
  readonly error_1h: number | null;
  readonly error_5m: number | null;
  /** The first measurement within 28 days, within an hour. A Prometheus that was started lately knows less than 28 days. */
  readonly since: string | null;
}

// Budgets are computed every five minutes: two of these may pass. The others are stale without a new evaluation.
const queries = {
  budgets: 'last_over_time({__name__=~"kenri:slo:budget_remaining|kenri:sli_error:ratio28d"}[11m])',
  present: '{__name__=~"kenri:slo:objective|kenri:sli_error:ratio1h|kenri:sli_error:ratio5m"}',
};
// Of 28 days one look an hour is enough. A Prometheus that is younger than that is looked at every five seconds.
const firstSeen = [
  "min_over_time(timestamp(kenri:sli_total:rate5m)[28d:1h])",
  "min_over_time(timestamp(kenri:sli_total:rate5m)[2h:5s])",
] as const;

const most = 100;
const longestName = 100;

/** The first measurement of each objective, in seconds since 1970. */
type FirstSeen = Readonly<Record<string, number>>;

export async function readFirstSeen(prometheus: Prometheus): Promise<FirstSeen> {
  const samples = (await Promise.all(firstSeen.map(prometheus.query))).flat();
  const first: Record<string, number> = {};
  for (const { labels, value } of samples) if (labels.slo) first[labels.slo] = Math.min(value, first[labels.slo] ?? value);
  return first;
}

export async function readObjectives(prometheus: Prometheus, since: FirstSeen | undefined): Promise<Objective[]> {
  const [budgets, present] = await Promise.all([prometheus.query(queries.budgets), prometheus.query(queries.present)]);
  return objectivesOf([...budgets, ...present], since);
}

export function objectivesOf(samples: readonly Sample[], since: FirstSeen | undefined): Objective[] {
  const of = (rule: string) =>
    new Map(samples.flatMap(({ labels, value }) => (labels.__name__ === rule && labels.slo ? [[labels.slo, value]] : [])));
  const [objectives, budgets, month, hour, minutes] = [
    of("kenri:slo:objective"),
    of("kenri:slo:budget_remaining"),
    of("kenri:sli_error:ratio28d"),
    of("kenri:sli_error:ratio1h"),
    of("kenri:sli_error:ratio5m"),
  ];
  const share = (ratio: number | undefined) => (ratio === undefined ? null : Math.min(1, Math.max(0, ratio)));
  return [...objectives].slice(0, most).map(([slo, objective]) => {
    const [budget, error1h, first] = [budgets.get(slo) ?? null, share(hour.get(slo)), since?.[slo]];
    const idle = since === undefined ? "unknown" : first === undefined ? "no_data" : "no_traffic";
    const state = budget !== null ? "measured" : error1h !== null ? "soon" : idle;
    return {
      slo: slo.slice(0, longestName),
      objective,
      state,
      budget_remaining: budget === null ? null : Math.min(1, budget),
      error_28d: share(month.get(slo)),
      error_1h: error1h,
      error_5m: share(minutes.get(slo)),
      since: first === undefined ? null : new Date(first * 1000).toISOString(),
    };
  });
}
