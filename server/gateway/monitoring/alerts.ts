import type { RuleGroup } from "./prometheus.ts";

/** An alert of ops/prometheus/alerts.rules.yml that fires, or will fire if its condition lasts. */
export interface Alert {
  readonly name: string;
  /** `page`: wake somebody. `ticket`: in working hours. */
  readonly severity: string;
  readonly state: "firing" | "pending";
  readonly since: string;
  readonly summary: string;
  /** What it is about, e.g. the system and the part. */
  readonly labels: Readonly<Record<string, string>>;
  /** The section of the runbook; its URL if RUNBOOK_URL is set. */
  readonly runbook: { readonly section: string; readonly url: string | null } | null;
  /** The page of the console that shows more. */
  readonly page: string | null;
}

const most = 200;
const longest = 500;
const cut = (text: string) => text.slice(0, longest);

/** The groups of Kenri's rules: a Prometheus that others use too has further ones. */
export const ownGroups = (groups: readonly RuleGroup[]): RuleGroup[] => groups.filter(({ name }) => name.startsWith("kenri-"));

/** Alerts that fire come first, then those that wake somebody, then the oldest. */
export function alertsOf(groups: readonly RuleGroup[], runbookUrl: string | undefined): { alerts: Alert[]; left_out: number } {
  const alerts = groups.flatMap(({ rules }) =>
    rules.flatMap(({ name, labels: ofRule = {}, alerts: active = [] }) =>
      active.flatMap(({ labels, annotations = {}, state, activeAt }): Alert[] => {
        if (state !== "firing" && state !== "pending") return [];
        const { alertname, severity = ofRule.severity ?? "", ...about } = labels;
        const since = new Date(activeAt);
        return [
          {
            name: cut(alertname ?? name),
            severity: cut(severity),
            state,
            since: Number.isNaN(since.getTime()) ? new Date(0).toISOString() : since.toISOString(),
            summary: cut(annotations.summary ?? ""),
            labels: Object.fromEntries(Object.entries(about).map(([label, value]) => [cut(label), cut(value)])),
            runbook: annotations.runbook ? runbookOf(cut(annotations.runbook), runbookUrl) : null,
            page: /^\/admin\/[\w/-]*$/.test(annotations.page ?? "") ? annotations.page! : null,
          },
        ];
      }),
    ),
  );
  const rank = ({ state, severity }: Alert) => (state === "firing" ? 0 : 2) + (severity === "page" ? 0 : 1);
  alerts.sort((a, b) => rank(a) - rank(b) || a.since.localeCompare(b.since) || a.name.localeCompare(b.name));
  return { alerts: alerts.slice(0, most), left_out: Math.max(0, alerts.length - most) };
}

/** `docs/runbook.md#nats-is-away` is a section of the runbook, wherever that is published. A rule may name a URL itself. */
function runbookOf(annotation: string, runbookUrl: string | undefined): Alert["runbook"] {
  const anchor = annotation.split("#")[1] ?? "";
  const section = anchor.replaceAll("-", " ") || annotation;
  if (/^https?:\/\//.test(annotation) && URL.canParse(annotation)) return { section, url: annotation };
  return { section, url: runbookUrl ? `${runbookUrl.split("#")[0]}${anchor ? `#${anchor}` : ""}` : null };
}

/** Without alert rules no alert can fire. */
export const hasAlertRules = (groups: readonly RuleGroup[]): boolean =>
  groups.some(({ rules }) => rules.some(({ type }) => type === "alerting"));

/**
 * When a group was evaluated last, and whether a group has waited too long, by its own interval: alerts need all groups. A group that was never
 * evaluated has the year 1.
 */
export function evaluationOf(groups: readonly RuleGroup[], now: number): { at: string | null; isStale: boolean } {
  const evaluated = groups
    .map(({ lastEvaluation, interval }) => ({ at: Date.parse(lastEvaluation), patience: Math.max(60_000, 3000 * interval) }))
    .filter(({ at }) => at > 0);
  if (evaluated.length === 0) return { at: null, isStale: false };
  return {
    at: new Date(Math.max(...evaluated.map(({ at }) => at))).toISOString(),
    isStale: evaluated.some(({ at, patience }) => now - at > patience),
  };
}

/** Rules that Prometheus cannot evaluate, also those that alerts and objectives are computed from. */
export const failingRules = (groups: readonly RuleGroup[]): string[] =>
  [...new Set(groups.flatMap(({ rules }) => rules.filter(({ health }) => health === "err").map(({ name }) => cut(name))))].slice(0, 20);
