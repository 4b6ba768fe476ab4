import type { Monitoring } from "../../../../server/gateway/monitoring/monitoring.ts";
import type { SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";
import type { Consistency, Count, Counts } from "../../api/answers.ts";
import type { Queues } from "../../api/matchmaking_answers.ts";
import type { UnknownOrders } from "../../api/unknown_orders.ts";
import { count, number, span, sumOf } from "../../parts/format.ts";
import type { MatchTrouble } from "../../parts/match_troubles.ts";
import { roleWords } from "../../parts/paused_roles.ts";
import { failedIn, storedStatesOf, type Tone } from "../../parts/row_kinds.ts";
import { type Kind, type KindName, rowKinds, type System, systems, type WatchedSystem, watchedSystems } from "../../systems.ts";
import { missedFindings, pageFindings, ticketFindings, unreadFindings } from "./alert_findings.ts";
import { unknownLags } from "./lag.ts";
import { matchFindings, unpublishedIn } from "./match_findings.ts";
import { causesOf, type SystemView, type Views } from "./outage.ts";

/** The result of a query. */
export interface QueryResult<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  /** When the data arrived, in milliseconds; 0 means never. */
  readonly at: number;
  /** Whether the gateway did not respond either. */
  readonly isUnreachable?: boolean;
}

type PerSystem<T> = Readonly<Partial<Record<System, T>>>;

/** The input of the headline. */
export interface OverviewData {
  readonly now: number;
  /** Milliseconds between two refreshes; 0 means never. */
  readonly every: number;
  /** Of the systems that the console shows. */
  readonly health: Readonly<Partial<Record<WatchedSystem, QueryResult<SystemHealth>>>>;
  readonly gateway: QueryResult<SystemHealth>;
  /** Of the row kinds that the console shows. */
  readonly counts: Readonly<Partial<Record<KindName, QueryResult<Counts>>>>;
  readonly consistency: PerSystem<QueryResult<Pick<Consistency, "invariants">>>;
  readonly unreadable: QueryResult<Count>;
  readonly unknownOrders: QueryResult<UnknownOrders>;
  readonly queues: QueryResult<Queues>;
  readonly monitoring: QueryResult<Monitoring>;
  /** The sources whose consumer lag grows. */
  readonly growingLags: readonly string[];
}

export type Target = "/failures" | "/failures/unreadable" | "/consistency" | "unknown outcomes" | "/matchmaking" | `/${KindName}`;

export interface Finding {
  readonly tone: Tone;
  readonly text: string;
  readonly to?: Target;
  /** Whether it is a pause, which is neither a failure nor a retry. */
  readonly isPause?: boolean;
}

/** The main sentence, and further findings. Each finding appears once. */
export interface Headline extends Finding {
  readonly others: readonly Finding[];
}

// A row that waits longer is late.
export const lateAfter = 60_000;
// A larger lag is more than a busy second.
export const largeLag = 1000;
// Older data counts as stale, even if the refresh interval is shorter.
const leastStale = 15_000;
const missedRefreshes = 3;

const isStore = (name: string) => name === "database" || name === "redis";
const zero: Count = { count: 0, more: false };
const systemsIn = ({ health }: Pick<OverviewData, "health">) => watchedSystems.filter(system => health[system]);
/** The known counts, each with its kind. */
const countsIn = ({ counts }: Pick<OverviewData, "counts">) =>
  rowKinds.flatMap(kind => {
    const result = counts[kind.name];
    return result ? [{ kind, result }] : [];
  });

/** The first line of the overview. It says "healthy" only if every query succeeded recently and found no problem. */
export function headlineOf(overview: OverviewData): Headline {
  const troubles = causesOf(viewsOf(overview));
  const hasUnpublished = (unpublishedIn(overview.queues.data)?.count.count ?? 0) > 0;
  const causes = troubles.map(
    ({ what, means, holdsMatches }): Finding => ({
      tone: "failed",
      text: means ? `${what}: ${means}` : what,
      ...(holdsMatches && hasUnpublished ? { to: "/matchmaking" } : {}),
    }),
  );
  const affected = [...new Set(troubles.flatMap(cause => cause.affected))];
  const failures = failuresOf(overview);
  const found = [
    ...gatewayTroublesOf(overview),
    ...causes,
    ...failures,
    ...pageFindings(overview.monitoring),
    ...unansweredOf(overview),
    ...pausedOf(overview),
    ...slowOf(overview),
    ...ticketFindings(overview.monitoring),
    ...unknownOf(overview),
    ...unreadFindings(overview.monitoring),
  ];
  const stale = staleOf(overview);
  const notes = [
    ...(affected.length > 0 ? [{ tone: "pending", text: `Affected: ${affected.join(", ")}` } as const] : []),
    ...stale,
    ...missedFindings(overview.monitoring.data),
  ];
  const [first = healthyOf(overview), ...others] = found;
  const [failed] = failures;
  const isBoth = causes.length > 0 && failed !== undefined;
  const sentence = isBoth ? `${first.text}. ${failed.text}` : first.text;
  const to = first.to ?? (isBoth ? failed.to : undefined);
  return {
    tone: stale.length > 0 && first.tone === "done" ? "pending" : first.tone,
    text: stale.length > 0 ? `${sentence} (as of ${span(ageOf(overview))} ago)` : sentence,
    ...(to ? { to } : {}),
    ...(first.isPause ? { isPause: true } : {}),
    others: [...others.filter(one => !isBoth || one !== failed), ...notes],
  };
}

const isSilent = (health: QueryResult<SystemHealth> | undefined) => health?.error !== undefined;

function viewsOf(overview: OverviewData): Views {
  const { health } = overview;
  const waitingOf = (system: WatchedSystem) => {
    if (system === "matchmaking") return unpublishedIn(overview.queues.data)?.count;
    const known = countsIn(overview).flatMap(({ kind, result }) => (kind.system === system ? (openIn(kind, result.data) ?? []) : []));
    return known.length > 0 ? sumOf(known) : undefined;
  };
  const viewOf = (system: WatchedSystem): SystemView => ({
    health: health[system]?.data,
    silent: isSilent(health[system]) ? (health[system]?.isUnreachable ? "gateway" : "system") : undefined,
    waiting: waitingOf(system),
    oldest: system === "matchmaking" ? unpublishedIn(overview.queues.data)?.oldest : undefined,
  });
  return Object.fromEntries(systemsIn(overview).map(system => [system, viewOf(system)]));
}

/** Rows that are waiting, retrying or in flight. */
const openIn = (kind: Kind, counts: Counts | undefined): Count | undefined =>
  counts &&
  sumOf(
    storedStatesOf(kind).flatMap(({ name, meaning }) => (meaning === "done" || meaning === "failed" ? [] : [counts.counts[name] ?? zero])),
  );

/** Failing dependencies of the gateway. NATS is left out: the systems report it in more detail. */
const gatewayTroublesOf = ({ gateway }: OverviewData): Finding[] =>
  (gateway.data?.dependencies ?? [])
    .filter(({ name, state }) => state === "trouble" && name !== "broker")
    .map(({ name, detail }) => ({ tone: "failed", text: detail ?? `A dependency of the gateway is broken: ${name}` }));

/** Failures that need an operator. */
function failuresOf(overview: OverviewData): Finding[] {
  const { unreadable, consistency } = overview;
  const unknown = unknownOrdersIn(overview);
  const failed = sumOf(countsIn(overview).map(({ kind, result }) => failedIn(kind, result.data) ?? zero));
  const open = unreadable.data ?? zero;
  const invariants = systems.flatMap(system => consistency[system]?.data?.invariants ?? []);
  const broken = invariants.filter(({ state }) => state === "broken").length;
  const need: [many: Count, text: string, to: Target][] = [
    [unknown.isLate ? unknown.count : zero, `${outcomes(unknown.count)} of orders: needs attention`, "unknown outcomes"],
    [failed, "failed: needs attention", "/failures"],
    [open, `${open.count === 1 ? "message" : "messages"} could not be read: needs attention`, "/failures/unreadable"],
    [{ count: broken, more: false }, `${broken === 1 ? "invariant is" : "invariants are"} broken: needs attention`, "/consistency"],
  ];
  return [
    ...need.flatMap(([many, text, to]): Finding[] => (many.count > 0 ? [{ tone: "failed", text: `${count(many)} ${text}`, to }] : [])),
    ...matchFindingsIn(overview, "failed"),
  ];
}

const matchFindingsIn = (overview: OverviewData, tone: MatchTrouble["tone"]) =>
  matchFindings({ queues: overview.queues.data, causes: causesOf(viewsOf(overview)), paused: pausedRoles(overview) }, tone);

/** Orders with an unknown outcome. The sender asks the broker at once, so a young one usually needs nobody. */
function unknownOrdersIn({ now, unknownOrders }: OverviewData) {
  const { count: many = zero, oldest } = unknownOrders.data ?? {};
  return { count: many, isLate: oldest !== undefined && now - Date.parse(oldest) > lateAfter };
}
const outcomes = ({ count: many }: Count) => (many === 1 ? "unknown outcome" : "unknown outcomes");

const pausedRoles = ({ health }: OverviewData): string[] =>
  watchedSystems.flatMap(system => (health[system]?.data?.paused ?? []).map(({ role }) => role));

/** What operators have paused. It is no failure, and nothing is healthy while work waits for a resume. */
function pausedOf(overview: OverviewData): Finding[] {
  const roles = pausedRoles(overview);
  return roles.length > 0 ? [{ tone: "retry", isPause: true, text: `Paused by operators: ${roles.map(roleWords).join(", ")}` }] : [];
}

/** Queries that failed, unless a failure of their system explains it. */
function unansweredOf(overview: OverviewData): Finding[] {
  const { health, gateway, unreadable, unknownOrders, consistency, queues } = overview;
  const isExplained = (system: WatchedSystem | "gateway") =>
    system === "gateway"
      ? Object.values(health).some(({ isUnreachable }) => isUnreachable)
      : isSilent(health[system]) || health[system]?.data?.dependencies.some(({ name, state }) => isStore(name) && state === "trouble");
  const results: (readonly [system: WatchedSystem | "gateway", result: QueryResult<unknown> | undefined, what: string])[] = [
    ["gateway", gateway, "The health of the gateway cannot be read"],
    ...countsIn(overview).map(({ kind, result }) => [kind.system, result, `${kind.title} cannot be counted`] as const),
    ["notification", unreadable, "Unreadable messages cannot be counted"],
    ["orders", unknownOrders, "Unknown outcomes cannot be listed"],
    ["matchmaking", queues, "The queues of matchmaking cannot be read"],
    ...systems.map(system => [system, consistency[system], `The invariants of ${system} cannot be checked`] as const),
  ];
  return results.flatMap(([system, result, what]) =>
    result?.error !== undefined && !isExplained(system) ? [{ tone: "failed", text: `${what}: ${result.error}` }] : [],
  );
}

/** Delays that usually recover without an operator. An order with an unknown outcome is open too, so it counts here like any other. */
function slowOf(overview: OverviewData): Finding[] {
  const { now, health, growingLags } = overview;
  const counted = countsIn(overview);
  const findings: Finding[] = [];
  const unknown = unknownOrdersIn(overview);
  const retrying = sumOf(counted.map(({ result }) => result.data?.retrying ?? zero));
  const oldest = counted.flatMap(({ result }) => result.data?.oldest_pending_at ?? []).toSorted()[0];
  const age = oldest === undefined ? 0 : now - Date.parse(oldest);
  const late = age > lateAfter ? `the oldest has waited for ${span(age)}` : undefined;
  const isHere = (data: Counts | undefined) =>
    retrying.count > 0 ? (data?.retrying.count ?? 0) * 2 >= retrying.count : data?.oldest_pending_at === oldest;
  const { name } = (counted.find(({ result }) => isHere(result.data))?.kind ?? rowKinds[0])!;
  const to: Target = `/${name}`;
  if (retrying.count > 0)
    findings.push({
      tone: "retry",
      text: `${count(retrying)} ${retrying.count === 1 ? "is" : "are"} being retried${late ? `, ${late}` : ""}`,
      to,
    });
  else if (late) findings.push({ tone: "retry", text: late.replace(/^t/, "T"), to });
  if (unknown.count.count > 0 && !unknown.isLate)
    findings.push({
      tone: "retry",
      text: `${count(unknown.count)} ${outcomes(unknown.count)} of orders, the broker is being asked`,
      to: "unknown outcomes",
    });
  findings.push(...matchFindingsIn(overview, "retry"));
  for (const { source, pending } of systems.flatMap(system => health[system]?.data?.consumers ?? []))
    if (pending !== null && pending > largeLag)
      findings.push({
        tone: "retry",
        text: `${number(pending)} events of ${source} wait in the stream${growingLags.includes(source) ? ", and growing" : ""}`,
      });
  return findings;
}

/** Parts whose state is unknown. */
function unknownOf({ health }: OverviewData): Finding[] {
  const unknown = watchedSystems.flatMap(system => {
    const data = health[system]?.data;
    // Without the store of a system the workers in other processes are unknown: that needs no second line.
    if (!data || isSilent(health[system]) || data.dependencies.some(({ name, state }) => isStore(name) && state === "trouble")) return [];
    return [...data.dependencies, ...data.breakers, ...data.workers]
      .filter(({ state }) => state === "unknown")
      .map(({ name }) => `${name.replace(/^\w+:/, "")} of ${system}`);
  });
  const lags = systems.flatMap(system => {
    const data = health[system]?.data;
    return data ? unknownLags(data).map(source => `consumer lag of ${source}`) : [];
  });
  unknown.push(...lags);
  return unknown.length > 0 ? [{ tone: "pending", text: `Unknown: ${unknown.join(", ")}` }] : [];
}

const watched = ({
  counts,
  health,
  gateway,
  unreadable,
  unknownOrders,
  queues,
  monitoring,
}: OverviewData): readonly QueryResult<unknown>[] => [
  ...Object.values(counts),
  ...Object.values(health),
  gateway,
  unreadable,
  unknownOrders,
  queues,
  monitoring,
];

/** The age of the oldest data on the page. Invariants are left out: they are refreshed less often. */
const ageOf = (overview: OverviewData): number =>
  overview.now - Math.min(overview.now, ...watched(overview).flatMap(({ at }) => (at > 0 ? [at] : [])));

function staleOf(overview: OverviewData): Finding[] {
  if (ageOf(overview) <= Math.max(leastStale, overview.every * missedRefreshes)) return [];
  return [{ tone: "pending", text: overview.every > 0 ? "This page is not being refreshed" : "Refreshing is off" }];
}

const healthyOf = (overview: OverviewData): Finding =>
  [...watched(overview), ...Object.values(overview.consistency)].every(({ data }) => data !== undefined)
    ? { tone: "done", text: "All systems are healthy" }
    : { tone: "pending", text: "Loading …" };
