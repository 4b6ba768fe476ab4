import type { HealthPart, SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";
import type { Count } from "../../api/answers.ts";
import { count, span } from "../../parts/format.ts";
import { systems, titleOf, type WatchedSystem, watchedSystems } from "../../systems.ts";

/** The known state of a system. */
export interface SystemView {
  readonly health: SystemHealth | undefined;
  /** What does not respond: the system, or the gateway in front of it. */
  readonly silent: "system" | "gateway" | undefined;
  /** Rows that are not published or sent yet. */
  readonly waiting: Count | undefined;
  /** How long the oldest of them has waited, in milliseconds, if its age is shown here and nowhere else. */
  readonly oldest?: number | undefined;
}

/** The systems that the console shows. */
export type Views = Readonly<Partial<Record<WatchedSystem, SystemView>>>;

/** The systems that have a database. */
const withDatabase = (views: Views) => systems.filter(system => views[system]);

/** A cause of an outage, its consequence, and the other parts it affects. */
export interface Cause {
  readonly what: string;
  readonly means?: string | undefined;
  readonly affected: readonly string[];
  /** Whether it explains why matches are not published. */
  readonly holdsMatches?: boolean;
}

/** A failing part of a system. A worker lists its failing parts by name; an unnamed part is the worker itself. */
interface Symptom {
  readonly system: WatchedSystem;
  /** Unset for a dependency: it is a cause, not an effect. */
  readonly name?: string;
  readonly parts: ReadonlyMap<string, string>;
}

type Explains = (symptom: Symptom, part: string) => boolean;
type Rule = Omit<Cause, "affected"> & { readonly explains: Explains };

const kept = "events wait in the stream, nothing is lost";
/** A wrong signature is a separate cause, even if other parts are unreachable. */
const isForged = ({ parts }: Symptom, part: string) => part === "confirmation" && /wrong signature/.test(parts.get(part) ?? "");
const isOf =
  (...parts: string[]): Explains =>
  (symptom, part) =>
    parts.includes(part) && !isForged(symptom, part);

/** The causes of an outage, the widest first. Each symptom appears once: under its cause, or as its own cause. */
export function causesOf(views: Views): Cause[] {
  const symptoms = watchedSystems.flatMap(system => symptomsOf(system, views[system]));
  const waiting = waitingIn(views);
  const rules = [
    ...ofSilence(views),
    ...ofDatabases(symptoms, withDatabase(views).length),
    ...ofRedis(symptoms),
    ...ofBroker(symptoms, waiting),
    ...ofPublishing(symptoms, waiting),
    ...ofOrderBroker(symptoms, waiting),
  ];
  const own = (one: Symptom) => [...one.parts].filter(([part]) => !rules.some(({ explains }) => explains(one, part)));
  const [alone, explained] = [symptoms.filter(one => own(one).length > 0), symptoms.filter(one => own(one).length === 0)];
  const affectedBy = (explains: Explains) =>
    explained.flatMap(one => (one.name !== undefined && [...one.parts.keys()].some(part => explains(one, part)) ? [one.name] : []));
  return [
    ...rules.map(({ explains, ...rule }) => ({ ...rule, affected: [...new Set(affectedBy(explains))] })),
    ...alone.map(one => ({ ...ofWorker(one, own(one), waiting), affected: [] })),
  ];
}

/** Parses the detail of a worker: `broker: NATS is not connected; liveness of casual: …`. */
export function partsOf(detail: string): Map<string, string> {
  const entries = detail.split(/; (?=[a-z_]+(?: of [a-z0-9_-]+)?: )/).map(one => /^([a-z_]+(?: of [a-z0-9_-]+)?): (.*)$/s.exec(one));
  return new Map(entries.every(one => one !== null) ? entries.map(one => [one[1]!, one[2]!]) : [["", detail]]);
}

function symptomsOf(system: WatchedSystem, view: SystemView | undefined): Symptom[] {
  if (!view?.health || view.silent) return [];
  const { health } = view;
  const troubled = (parts: readonly HealthPart[]) => parts.filter(({ state }) => state === "trouble");
  return [
    ...troubled(health.dependencies).map(({ name, detail }) => ({ system, parts: new Map([[name, detail ?? ""]]) })),
    ...troubled(health.breakers).map(({ name, detail }) => ({
      system,
      name: `breaker of ${name}`,
      parts: new Map([[name, detail ?? ""]]),
    })),
    ...troubled(health.workers).map(({ name, detail }) => ({ system, name: name.replace(/^\w+:/, ""), parts: partsOf(detail ?? "") })),
  ];
}

/** `27 events wait`, or `events wait` if the number is unknown. */
const waitingIn =
  (views: Views) =>
  (system: WatchedSystem, row: string, rows = `${row}s`) => {
    const { count: many = 0, more = false } = views[system]?.waiting ?? {};
    const text = many === 1 ? `1 ${row} waits` : `${many > 0 ? `${count({ count: many, more })} ` : ""}${rows} wait`;
    const oldest = views[system]?.oldest;
    return oldest ? `${text}, the oldest for ${span(oldest)}` : text;
  };
type Waiting = ReturnType<typeof waitingIn>;
const grantsGoOn = (waiting: Waiting) => `grants continue, ${waiting("entitlement", "event")}`;
const pairingGoesOn = (waiting: Waiting) => `players are paired, ${waiting("matchmaking", "match", "matches")}`;

function ofSilence(views: Views): Rule[] {
  const silent = watchedSystems.filter(system => views[system]?.silent);
  if (silent.length > 0 && silent.every(system => views[system]?.silent === "gateway"))
    return [{ what: "The gateway is unreachable", means: "this page is out of date", explains: () => true }];
  const means: Partial<Record<WatchedSystem, string>> = {
    entitlement: "grants may be refused; accepted grants are kept",
    notification: kept,
    orders: "orders may be refused; accepted orders are kept",
    matchmaking: "players may not be able to join; paired matches are kept",
  };
  return silent.map(system => ({
    what: `${titleOf(system)} does not answer`,
    means: means[system],
    explains: system === "notification" ? isOf("confirmation") : () => false,
  }));
}

const having = (symptoms: readonly Symptom[], part: string) =>
  watchedSystems.filter(system => symptoms.some(one => one.system === system && one.parts.has(part)));

function ofDatabases(symptoms: readonly Symptom[], shown: number): Rule[] {
  const away = having(symptoms, "database");
  // Notification answers for the confirmation.
  const explains: Explains = (one, part) =>
    !isForged(one, part) && (away.includes(one.system) || (part === "confirmation" && away.includes("notification")));
  const means: Partial<Record<WatchedSystem, string>> = {
    entitlement: "grants are refused; accepted grants are kept",
    notification: kept,
    orders: "orders are refused; accepted orders are kept",
  };
  const refused = away.includes("orders") ? "grants and orders" : "grants";
  if (away.length === shown) return [{ what: "PostgreSQL is unreachable", means: `${refused} are refused, ${kept}`, explains }];
  return away.map(system => ({ what: `PostgreSQL of ${system} is unreachable`, means: means[system], explains }));
}

/** The store of matchmaking. Without it nothing else of the system works. */
function ofRedis(symptoms: readonly Symptom[]): Rule[] {
  const [system] = having(symptoms, "redis");
  if (!system) return [];
  const says = symptoms.flatMap(({ parts }) => parts.get("redis") ?? []);
  const refusal = says.find(detail => !/not connected|does not answer/.test(detail));
  if (refusal !== undefined)
    return [
      {
        what: `${titleOf(system)}: ${refusal}`,
        means: "players may not be able to join, or are not paired or told",
        explains: (one, part) => one.system === system && part === "redis",
      },
    ];
  return [
    {
      what: `Redis of ${system} is unreachable`,
      means: "nobody can join, and nobody is paired",
      explains: (one, part) => one.system === system && !isForged(one, part),
    },
  ];
}

/** NATS. The broker of orders is another one. */
const isOfNats = ({ system }: Symptom) => system !== "orders";

function ofBroker(every: readonly Symptom[], waiting: Waiting): Rule[] {
  const symptoms = every.filter(isOfNats);
  const cut = having(symptoms, "broker");
  if (cut.length === 0) return [];
  const explainsPart = isOf("broker", "publish", "confirmation");
  const explains: Explains = (symptom, part) => isOfNats(symptom) && explainsPart(symptom, part);
  const says = symptoms.flatMap(({ parts }) => parts.get("broker") ?? []);
  const refusal = says.find(detail => /^(NATS (refuses|says)|TLS with NATS)/.test(detail));
  const is = refusal ?? (says.some(detail => detail.includes("not connected")) ? "NATS is unreachable" : "NATS does not answer");
  const goesOn = cut.includes("matchmaking") ? [pairingGoesOn(waiting)] : [];
  const holdsMatches = cut.includes("matchmaking");
  if (cut.includes("entitlement")) return [{ what: is, means: [grantsGoOn(waiting), ...goesOn].join("; "), explains, holdsMatches }];
  const means = [...(cut.includes("notification") ? [kept] : []), ...goesOn].join("; ");
  return [{ what: refusal ?? `${is} for ${cut.join(" and ")}`, means: means || undefined, explains, holdsMatches }];
}

/** The server is connected, but the stream refuses messages. The breaker gives the reason, or only that no response came. */
function ofPublishing(symptoms: readonly Symptom[], waiting: Waiting): Rule[] {
  const stopped = having(symptoms, "publish");
  const detail = symptoms.flatMap(({ parts }) => parts.get("publish") ?? [])[0];
  if (detail === undefined || having(symptoms.filter(isOfNats), "broker").length > 0) return [];
  const isNamed = /^(JetStream|NATS|the stream)/i.test(detail);
  const what = isNamed ? detail : /deadlines? in a row/.test(detail) ? "JetStream does not answer" : `Publishing is stopped: ${detail}`;
  const goOn = [
    ...(stopped.includes("entitlement") ? [grantsGoOn(waiting)] : []),
    ...(stopped.includes("matchmaking") ? [pairingGoesOn(waiting)] : []),
  ];
  const holdsMatches = stopped.includes("matchmaking");
  return [{ what, means: goOn.join("; ") || undefined, explains: isOf("publish", "confirmation"), holdsMatches }];
}

/** The circuit of the sender is open: nothing is sent, and no attempt is charged. Its detail says what the broker answered: "the broker …; orders wait". */
function ofOrderBroker(symptoms: readonly Symptom[], waiting: Waiting): Rule[] {
  const explains: Explains = (symptom, part) => !isOfNats(symptom) && part === "broker";
  const detail = symptoms.find(one => explains(one, "broker") && one.parts.has("broker"))?.parts.get("broker");
  if (detail === undefined) return [];
  const what = detail.replace(/^the broker/, "The broker of orders").replace(/; orders wait$/, "");
  return [{ what, means: `orders are accepted, ${waiting("orders", "order")}`, explains }];
}

function ofWorker({ name = "", system }: Symptom, own: readonly (readonly [part: string, detail: string])[], waiting: Waiting) {
  const forged = own.find(([part, what]) => part === "confirmation" && /wrong signature/.test(what));
  if (forged && own.length === 1)
    return {
      what: `Confirmations of ${system === "matchmaking" ? "announced matches" : "consumed events"} have a wrong signature`,
      means: `another sender answers for notification, or EVENT_SIGNING_KEYS differ; published ${system === "matchmaking" ? "matches" : "events"} are kept`,
    };
  if (own.every(([part]) => part === "confirmation"))
    return system === "matchmaking"
      ? { what: "Notification does not confirm announced matches", means: "published matches are kept" }
      : { what: "Notification does not confirm consumed events", means: "published events are kept" };
  const detail = own.map(([part, what]) => (part ? `${part}: ${what}` : what)).join("; ");
  const states: [RegExp, string][] = [
    [/no process runs it/, "does not run"],
    [/no report for/, "does not report"],
    [/stuck/, "was stuck and is being restarted"],
    [/ended unasked/, "stopped and is being restarted"],
    [/is starting/, "is starting"],
  ];
  const state = states.find(([words]) => words.test(detail))?.[1] ?? `is broken (${detail})`;
  const means: Record<string, string> = {
    "entitlement:relay": grantsGoOn(waiting),
    "notification:consumer": kept,
    "notification:sender": waiting("notification", "notification"),
    "matchmaking:matcher": "players can join, and nobody is paired",
    "matchmaking:relay": pairingGoesOn(waiting),
    "orders:sender": `orders are accepted, ${waiting("orders", "order")}`,
    [`${system}:janitor`]: "old rows are not deleted",
  };
  const worker = `${system}:${name}`;
  // A store that takes no writes silences every worker: then nobody knows what goes on.
  const known = state === "does not report" ? undefined : means[worker];
  return { what: `The ${name} of ${system} ${state}`, means: known, holdsMatches: worker === "matchmaking:relay" };
}
