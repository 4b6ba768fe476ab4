import { sharedReads } from "../../kernel/http/shared_reads.ts";
import { type Alert, alertsOf, evaluationOf, failingRules, hasAlertRules, ownGroups } from "./alerts.ts";
import { type Objective, readFirstSeen, readObjectives } from "./objectives.ts";
import { type Prometheus, PrometheusAway } from "./prometheus.ts";

/**
 * `off`: PROMETHEUS_URL is not set. `away`: it cannot be read. `no_rules`: it has no alert rules of Kenri. `stale`: it answers, and the
 * last evaluation of a group of rules is too old.
 */
export type MonitoringState = "off" | "away" | "no_rules" | "stale" | "ok";

/** Error budgets and alerts, as Prometheus has them. */
export interface Monitoring {
  readonly state: MonitoringState;
  /** Why it cannot be read. */
  readonly detail: string | null;
  /** When the rules were evaluated last. */
  readonly evaluated_at: string | null;
  readonly objectives: readonly Objective[];
  readonly alerts: readonly Alert[];
  /** How many alerts are not listed. */
  readonly alerts_left_out: number;
  /** Rules that Prometheus cannot evaluate. */
  readonly failing_rules: readonly string[];
}

// All operators share one read. The first measurements of 28 days change once a day at most, and cost more.
const freshFor = 5000;
const firstSeenFor = 60_000;

const nothing = { detail: null, evaluated_at: null, objectives: [], alerts: [], alerts_left_out: 0, failing_rules: [] };

/** Reads Prometheus for operators. It never rejects: an answer says what is missing. */
export function monitoring(prometheus: Prometheus | undefined, runbookUrl: string | undefined): () => Promise<Monitoring> {
  if (!prometheus) return async () => ({ ...nothing, state: "off" });
  const firstSeen = sharedReads(firstSeenFor).share(() => readFirstSeen(prometheus));

  async function read(from: Prometheus): Promise<Monitoring> {
    const { groups, now } = await from.rules();
    const own = ownGroups(groups);
    // Without the first measurements the rest is still right.
    const since = await firstSeen().catch(() => undefined);
    const objectives = await readObjectives(from, since);
    const { at, isStale } = evaluationOf(own, now);
    const { alerts, left_out } = alertsOf(own, runbookUrl);
    return {
      state: !hasAlertRules(own) ? "no_rules" : isStale ? "stale" : "ok",
      detail: null,
      evaluated_at: at,
      objectives,
      alerts,
      alerts_left_out: left_out,
      failing_rules: failingRules(own),
    };
  }

  const shared = sharedReads(freshFor).share(() =>
    read(prometheus).catch((error: unknown): Monitoring => {
      if (!(error instanceof PrometheusAway)) throw error;
      return { ...nothing, state: "away", detail: error.message };
    }),
  );
  return shared;
}
