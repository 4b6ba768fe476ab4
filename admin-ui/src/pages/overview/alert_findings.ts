import type { Alert } from "../../../../server/gateway/monitoring/alerts.ts";
import type { Monitoring, MonitoringState } from "../../../../server/gateway/monitoring/monitoring.ts";
import type { Finding, QueryResult } from "./headline.ts";
import { wordsOf, worstFirst } from "./objective_words.ts";

export const firingIn = (monitoring: Monitoring | undefined): Alert[] => monitoring?.alerts.filter(({ state }) => state === "firing") ?? [];

/** Why budgets and alerts are not known, for a Prometheus that should have them. */
export const unreadText: Readonly<Record<Exclude<MonitoringState, "off" | "ok">, (monitoring: Monitoring) => string>> = {
  away: ({ detail }) => `Prometheus cannot be read: ${detail ?? "it does not answer"}`,
  no_rules: () => "Prometheus has no alert rules of Kenri, so no alert can fire",
  stale: () => "Prometheus has stopped evaluating rules of Kenri",
};

const about = (alerts: readonly Alert[], kind: string) => {
  // Its first sentence.
  const summary = (alerts[0]?.summary || alerts[0]?.name)?.replace(/\.(\s.*)?$/s, "");
  return alerts.length === 1
    ? `${kind} fires: ${summary}`
    : `${alerts.length} ${kind.replace(/^An? /, "").replace("alert", "alerts")} fire: ${summary}`;
};

/** Alerts that wake somebody, for the headline. */
export function pageFindings({ data }: QueryResult<Monitoring>): Finding[] {
  const pages = firingIn(data).filter(({ severity }) => severity === "page");
  return pages.length > 0 ? [{ tone: "failed", text: about(pages, "An alert") }] : [];
}

/** Alerts for working hours, and what is unknown. A Prometheus that is not configured is no finding. */
export function ticketFindings({ data, error }: QueryResult<Monitoring>): Finding[] {
  const tickets = firingIn(data).filter(({ severity }) => severity !== "page");
  return tickets.length > 0 && error === undefined ? [{ tone: "retry", text: about(tickets, "A ticket alert") }] : [];
}

/** Beside the headline: a missed objective stays missed for weeks after its cause has gone. */
export function missedFindings(data: Monitoring | undefined): Finding[] {
  const missed = worstFirst(data?.objectives ?? []).filter(({ budget_remaining: left }) => left !== null && left <= 0);
  return missed.length > 0
    ? [{ tone: "retry", text: `No error budget is left: ${missed.map(({ slo }) => wordsOf(slo).title).join(", ")}` }]
    : [];
}

export function unreadFindings({ data, error, isUnreachable }: QueryResult<Monitoring>): Finding[] {
  // Then the headline says that the gateway is unreachable.
  if (isUnreachable) return [];
  if (error !== undefined) return [{ tone: "pending", text: `Error budgets and alerts cannot be read: ${error}` }];
  if (!data || data.state === "off") return [];
  if (data.state === "ok") return failingFindings(data);
  const unknown = data.state === "no_rules" && data.objectives.length > 0 ? "alerts" : "error budgets and alerts";
  return [{ tone: "pending", text: `Unknown: ${unknown}. ${unreadText[data.state](data)}` }, ...failingFindings(data)];
}

const mostNamed = 3;

/** An alert whose rule cannot be evaluated does not fire. */
function failingFindings({ failing_rules: failing }: Monitoring): Finding[] {
  if (failing.length === 0) return [];
  const named = [...failing.slice(0, mostNamed), ...(failing.length > mostNamed ? ["…"] : [])].join(", ");
  return [{ tone: "pending", text: `Alerts may be missing: Prometheus cannot evaluate ${named}` }];
}

/** Alerts of one rule in one state. */
export interface AlertGroup extends Pick<Alert, "name" | "state" | "severity" | "since" | "runbook" | "page"> {
  readonly summaries: readonly string[];
}

/** One store that is away lets the same rule fire for several parts: they are one row, since the first. */
export function groupsOf(alerts: readonly Alert[]): AlertGroup[] {
  const groups = Map.groupBy(alerts, ({ name, state, severity }) => `${state} ${severity} ${name}`);
  return [...groups.values()].map(all => ({
    ...all[0]!,
    since: all.map(({ since }) => since).toSorted()[0]!,
    summaries: [...new Set(all.map(({ summary, name }) => summary || name))],
  }));
}
