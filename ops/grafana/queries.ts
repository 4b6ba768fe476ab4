// Pieces of PromQL for the panels. `$__rate_interval` is a variable of Grafana: at least four scrapes, and at least one step of the graph.

export interface Query {
  readonly legend: string;
  readonly expr: string;
}

export interface Selection {
  /** The labels that stay; they are also the legend. */
  readonly by?: readonly string[];
  /** A matcher. */
  readonly where?: string;
  /** What the legend says before the labels. */
  readonly as?: string;
}

const legendOf = ({ by = [], as = "" }: Selection) => [as, ...by.map(label => `{{${label}}}`)].filter(Boolean).join(" ");
const grouped = (by: readonly string[] = []) => (by.length === 0 ? "" : ` by (${by.join(", ")}) `);

/** Queries of one system, or of all. */
export function queriesOf(system?: string) {
  function selector(metric: string, where?: string): string {
    const matchers = [...(system ? [`system="${system}"`] : []), ...(where ? [where] : [])];
    return matchers.length === 0 ? metric : `${metric}{${matchers.join(", ")}}`;
  }
  const rateOf = (metric: string, { by, where }: Selection) => `sum${grouped(by)}(rate(${selector(metric, where)}[$__rate_interval]))`;
  const gauge =
    (aggregate: "max" | "sum") =>
    (metric: string, selection: Selection = {}): Query => ({
      expr: `${aggregate}${grouped(selection.by)}(${selector(metric, selection.where)})`,
      legend: legendOf(selection),
    });
  return {
    /** How many a second. */
    rate: (metric: string, selection: Selection = {}): Query => ({ expr: rateOf(metric, selection), legend: legendOf(selection) }),
    /** The share of those that match: 0 if none does, no value without traffic. */
    share(metric: string, { by = [], where }: Selection): Query {
      const total = rateOf(metric, { by });
      return { expr: `(${rateOf(metric, where ? { by, where } : { by })} or 0 * ${total}) / ${total}`, legend: legendOf({ by }) };
    },
    /** For gauges that several processes report: the depth of a table is the same number in each. */
    max: gauge("max"),
    sum: gauge("sum"),
    quantile: (share: number, histogram: string, selection: Selection = {}): Query => ({
      expr: `histogram_quantile(${share}, ${rateOf(`${histogram}_bucket`, { ...selection, by: ["le", ...(selection.by ?? [])] })})`,
      legend: legendOf(selection),
    }),
  };
}
