import type { Objective } from "../../../../server/gateway/monitoring/objectives.ts";
import { span } from "../../parts/format.ts";
import type { Tone } from "../../parts/row_kinds.ts";

/** The objectives of docs/slo.md. `good`: when a unit is good. `log`: the system whose log has the bad requests. */
interface ObjectiveWords {
  readonly title: string;
  readonly good: string;
  readonly log?: string;
}

const words: Readonly<Record<string, ObjectiveWords>> = {
  grants: { title: "Grants answered", good: "a grant or revoke is not answered by 5xx", log: "entitlement" },
  orders: { title: "Orders answered", good: "an order is not answered by 5xx", log: "orders" },
  gateway: { title: "Gateway answers", good: "a request is not answered by 5xx", log: "the gateway" },
  "grants-latency": { title: "Speed of grants", good: "a grant or revoke takes at most 250 ms", log: "entitlement" },
  "orders-latency": { title: "Speed of orders", good: "an order is accepted within 250 ms", log: "orders" },
  "gateway-latency": { title: "Speed of the gateway", good: "a request takes at most 1 s", log: "the gateway" },
  "publish-delay": { title: "Publish delay", good: "an event is published within 5 s of its change" },
  "backlog-age": { title: "Age of the backlog", good: "the oldest unpublished event is below 10 s" },
  "delivery-time": { title: "Delivery time", good: "a notification is sent within 30 s" },
  delivery: { title: "Delivery", good: "a notification is sent, not FAILED" },
  "order-outcome": { title: "Order outcome", good: "an order is settled within 30 s" },
  "time-to-match": { title: "Time to match", good: "a matched player waited at most 10 s" },
};

/** An objective that somebody added to the rules has only its name. */
export const wordsOf = (slo: string): ObjectiveWords => words[slo] ?? { title: slo, good: "" };

export interface BudgetWord {
  readonly tone: Tone;
  readonly word: string;
}

// Less than this of the budget is left.
const low = 0.25;

export function budgetWord({ state, budget_remaining: left }: Pick<Objective, "state" | "budget_remaining">): BudgetWord {
  if (state === "measured" && left !== null) {
    if (left <= 0) return { tone: "failed", word: "used up" };
    return left < low ? { tone: "retry", word: "low" } : { tone: "done", word: "in budget" };
  }
  const others = {
    measured: "unknown",
    soon: "known within 5 min",
    no_traffic: "no traffic",
    no_data: "no data",
    unknown: "no traffic or no data",
  };
  return { tone: "pending", word: others[state] };
}

const decimals = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });

/** The share of the budget that is left: `100 %` only if nothing is used, `0 %` only if all of it is. */
export function leftText(left: number): string {
  if (left >= 1) return "100 %";
  if (left > 0.99) return "> 99 %";
  if (left > 0 && left < 0.01) return "< 1 %";
  if (left < -9.99) return "< −999 %";
  return `${Math.floor(left * 100)} %`.replace("-", "−");
}

/** `99.95 %` */
export const goalText = (objective: number): string => `${Number((objective * 100).toFixed(3))} %`;

/** A share of bad units: `0 %` only without any, `100 %` only without a good one. */
export function errorText(ratio: number | null): string {
  if (ratio === null) return "no traffic";
  if (ratio > 0 && ratio < 0.000_01) return "< 0.001 %";
  if (ratio >= 0.995 && ratio < 1) return "> 99 %";
  return `${decimals.format(ratio * 100)} %`;
}

const month = 28 * 86_400_000;
// Looked at once an hour.
const precision = 3_600_000;

/** How long the measurements reach back, if that is less than 28 days: `3 h`. */
export function knownFor(since: string | null, now: number): string | undefined {
  if (since === null) return undefined;
  const known = now - Date.parse(since);
  return known > month - 2 * precision ? undefined : span(known).replace(/ \d+ s$/, "");
}

/** Units were bad: an example is worth a look. */
export const hasBadUnits = ({ error_28d, error_1h }: Pick<Objective, "error_28d" | "error_1h">): boolean =>
  (error_28d ?? 0) > 0 || (error_1h ?? 0) > 0;

const rank = { measured: 0, soon: 1, no_traffic: 2, no_data: 3, unknown: 4 };

/** Least budget first. Those without a budget come last. */
export const worstFirst = (objectives: readonly Objective[]): Objective[] =>
  objectives.toSorted(
    (a, b) =>
      rank[a.state] - rank[b.state] ||
      (a.budget_remaining ?? 0) - (b.budget_remaining ?? 0) ||
      (b.error_1h ?? 0) - (a.error_1h ?? 0) ||
      wordsOf(a.slo).title.localeCompare(wordsOf(b.slo).title),
  );
