import type { Consistency, Count, Counts, System, SystemHealth } from "../../api/client.ts";
import { count, number, span } from "../../parts/format.ts";
import type { Tone } from "../../parts/kinds.ts";
import { causesOf, type Views } from "./outage.ts";

/** What a query came to. */
export interface QueryResult<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  /** When the data came, in milliseconds; 0 is never. */
  readonly at: number;
  /** Whether not even the gateway answered. */
  readonly isUnreachable?: boolean;
}

/** All that the headline is made of. */
export interface OverviewData {
  readonly now: number;
  /** Milliseconds between two refreshes; 0 is never. */
  readonly every: number;
  readonly health: Readonly<Record<System, QueryResult<SystemHealth>>>;
  readonly gateway: QueryResult<SystemHealth>;
  readonly counts: Readonly<Record<System, QueryResult<Counts>>>;
  readonly consistency: Readonly<Record<System, QueryResult<Consistency>>>;
  readonly unreadable: QueryResult<Count>;
  readonly isLagGrowing: boolean;
}

export type Target = "/failures" | "/failures/unreadable" | "/consistency" | "/outbox" | "/notifications";

export interface Finding {
  readonly tone: Tone;
  readonly text: string;
  readonly to?: Target;
}

/** The sentence that is read first, and what else is to be known, each once. */
export interface Headline extends Finding {
  readonly others: readonly Finding[];
}

// What waits longer than this does not just wait for its turn.
export const lateAfter = 60_000;
// A consumer that is further behind does not just have a busy second.
export const largeLag = 1000;
// An answer that is older is no longer what is now, however slow the refresh is meant to be.
const leastStale = 15_000;
const missedRefreshes = 3;

const systems: readonly System[] = ["entitlement", "notification"];
const rowsOf: Record<System, string> = { entitlement: "The outbox", notification: "Notifications" };
const zero: Count = { count: 0, more: false };
const sum = (some: readonly Count[]): Count =>
  some.reduce((all, one) => ({ count: all.count + one.count, more: all.more || one.more }), zero);

/** What an operator reads first. It says "healthy" only if everything was asked, answered lately, and is well. */
export function headlineOf(overview: OverviewData): Headline {
  const troubles = causesOf(viewsOf(overview));
  const causes = troubles.map(({ what, means }): Finding => ({ tone: "failed", text: means ? `${what}: ${means}` : what }));
  const affected = [...new Set(troubles.flatMap(cause => cause.affected))];
  const failures = failuresOf(overview);
  const found = [
    ...gatewayTroublesOf(overview),
    ...causes,
    ...failures,
    ...unansweredOf(overview),
    ...slowOf(overview),
    ...unknownOf(overview),
  ];
  const stale = staleOf(overview);
  const notes = [
    ...(affected.length > 0 ? [{ tone: "pending", text: `Affected: ${affected.join(", ")}` } as const] : []),
    ...stale,
    ...unseenOf(overview),
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
    others: [...others.filter(one => !isBoth || one !== failed), ...notes],
  };
}

const isSilent = ({ error }: QueryResult<SystemHealth>) => error !== undefined;

function viewsOf({ health, counts }: OverviewData): Views {
  const viewOf = (system: System) => {
    const known = counts[system].data?.counts;
    return {
      health: health[system].data,
      silent: isSilent(health[system]) ? (health[system].isUnreachable ? ("gateway" as const) : ("system" as const)) : undefined,
      waiting: known && sum([known.PENDING ?? zero, known.IN_FLIGHT ?? zero, known.PROCESSING ?? zero]),
    };
  };
  return { entitlement: viewOf("entitlement"), notification: viewOf("notification") };
}

/** What is wrong behind the gateway. Of NATS the systems tell more than the gateway does. */
const gatewayTroublesOf = ({ gateway }: OverviewData): Finding[] =>
  (gateway.data?.dependencies ?? [])
    .filter(({ name, state }) => state === "trouble" && name !== "broker")
    .map(({ name, detail }) => ({ tone: "failed", text: detail ?? `The gateway is in trouble: ${name}` }));

/** What does not get better by itself. */
function failuresOf({ counts, unreadable, consistency }: OverviewData): Finding[] {
  const failed = sum(systems.map(system => counts[system].data?.counts.FAILED ?? zero));
  const open = unreadable.data ?? zero;
  const broken = systems.flatMap(system => consistency[system].data?.invariants ?? []).filter(({ state }) => state === "broken").length;
  const need: [many: Count, text: string, to: Target][] = [
    [failed, "failed: needs attention", "/failures"],
    [open, `${open.count === 1 ? "message" : "messages"} could not be read: needs attention`, "/failures/unreadable"],
    [{ count: broken, more: false }, `${broken === 1 ? "invariant is" : "invariants are"} broken: needs attention`, "/consistency"],
  ];
  return need.flatMap(([many, text, to]) => (many.count > 0 ? [{ tone: "failed", text: `${count(many)} ${text}`, to }] : []));
}

/** A question without an answer, unless its system is known to be in trouble. */
function unansweredOf({ health, counts, unreadable, consistency }: OverviewData): Finding[] {
  const isExplained = (system: System) =>
    isSilent(health[system]) || health[system].data?.dependencies.some(({ name, state }) => name === "database" && state === "trouble");
  const results: [system: System, answer: QueryResult<unknown>, what: string][] = [
    ...systems.map((system): [System, QueryResult<unknown>, string] => [system, counts[system], `${rowsOf[system]} cannot be counted`]),
    ["notification", unreadable, "Unreadable messages cannot be counted"],
    ...systems.map((system): [System, QueryResult<unknown>, string] => [
      system,
      consistency[system],
      `The invariants of ${system} cannot be checked`,
    ]),
  ];
  return results.flatMap(([system, { error }, what]) =>
    error !== undefined && !isExplained(system) ? [{ tone: "failed", text: `${what}: ${error}` }] : [],
  );
}

/** What gets better by itself, or should. */
function slowOf({ now, counts, health, isLagGrowing }: OverviewData): Finding[] {
  const findings: Finding[] = [];
  const retrying = sum(systems.map(system => counts[system].data?.retrying ?? zero));
  const oldest = systems.flatMap(system => counts[system].data?.oldest_pending_at ?? []).toSorted()[0];
  const age = oldest === undefined ? 0 : now - Date.parse(oldest);
  const late = age > lateAfter ? `the oldest has waited for ${span(age)}` : undefined;
  const retriedIn = (system: System) => (counts[system].data?.retrying ?? zero).count;
  const isHere = (system: System) =>
    retrying.count > 0 ? retriedIn(system) * 2 >= retrying.count : counts[system].data?.oldest_pending_at === oldest;
  const to = systems.find(isHere) === "notification" ? "/notifications" : "/outbox";
  if (retrying.count > 0)
    findings.push({
      tone: "retry",
      text: `${count(retrying)} ${retrying.count === 1 ? "is" : "are"} being retried${late ? `, ${late}` : ""}`,
      to,
    });
  else if (late) findings.push({ tone: "retry", text: late.replace(/^t/, "T"), to });
  const lag = health.notification.data?.consumer?.pending ?? 0;
  if (lag > largeLag)
    findings.push({ tone: "retry", text: `${number(lag)} events wait in the stream${isLagGrowing ? ", and it grows" : ""}` });
  return findings;
}

/** What could be well and was not seen to be. */
function unknownOf({ health }: OverviewData): Finding[] {
  const unknown = systems.flatMap(system => {
    const { data, error } = health[system];
    if (!data || error !== undefined || data.workers.length === 0) return [];
    return [...data.dependencies, ...data.breakers, ...data.workers]
      .filter(({ state }) => state === "unknown")
      .map(({ name }) => `${name.replace(/^\w+:/, "")} of ${system}`);
  });
  const { data } = health.notification;
  const isBrokerWell = data?.dependencies.some(({ name, state }) => name === "broker" && state !== "trouble");
  if (data?.consumer === null && isBrokerWell) unknown.push("how far notification is behind the stream");
  return unknown.length > 0 ? [{ tone: "pending", text: `Not known: ${unknown.join(", ")}` }] : [];
}

/** Workers in processes of their own answer for themselves; what waits too long tells of them here. */
function unseenOf({ health }: OverviewData): Finding[] {
  const apart = systems.filter(system => health[system].data?.workers.length === 0);
  return apart.length > 0
    ? [{ tone: "pending", text: `The workers of ${apart.join(" and ")} run in processes of their own, which are not seen from here` }]
    : [];
}

const watched = ({ counts, health, unreadable }: OverviewData): readonly QueryResult<unknown>[] => [
  ...Object.values(counts),
  ...Object.values(health),
  unreadable,
];

/** How old the oldest of what is shown is. */
const ageOf = (overview: OverviewData): number =>
  overview.now - Math.min(overview.now, ...watched(overview).flatMap(({ at }) => (at > 0 ? [at] : [])));

function staleOf(overview: OverviewData): Finding[] {
  if (ageOf(overview) <= Math.max(leastStale, overview.every * missedRefreshes)) return [];
  return [{ tone: "pending", text: overview.every > 0 ? "This page is not refreshed now" : "Refreshing is switched off" }];
}

const healthyOf = (overview: OverviewData): Finding =>
  watched(overview).every(({ data }) => data !== undefined)
    ? { tone: "done", text: "Everything is healthy" }
    : { tone: "pending", text: "Looking …" };
