import type { AnnouncedAnswer, AnnouncedJoin, AnnouncedQuestion } from "../../contracts/match_events.ts";
import type { Confirmation } from "../../kernel/nats/confirmations.ts";
import type { StreamChecks } from "../../kernel/nats/stream_checks.ts";
import { type Log, someIds } from "../../kernel/telemetry/log.ts";
import { failedBurst, repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { ModeStore } from "../mode_store.ts";
import { isUuid, type MatchFacts, readFacts } from "./match_facts.ts";
import type { Unannounced, Voided } from "./match_store.ts";
import type { RelayMetrics } from "./relay_metrics.ts";

export interface AnnouncementsOptions {
  readonly store: ModeStore;
  readonly ask: (question: AnnouncedQuestion) => Promise<Confirmation<AnnouncedAnswer>>;
  readonly nothingToAsk: () => void;
  readonly checks: Pick<StreamChecks, "passes" | "note">;
  readonly isConnected: () => boolean;
  /** Whether the consumer has nothing left to deliver or to acknowledge. */
  readonly isConsumerIdle: () => Promise<boolean | undefined>;
  readonly overdue: number;
  readonly counters: RelayMetrics;
  /** Called when matches are to be published again. */
  readonly resent: () => void;
  /** Called when tickets wait again. */
  readonly released: () => void;
  readonly log: Log;
}

export const page = 200;

interface Published extends Unannounced {
  readonly facts: MatchFacts;
}

/**
 * A PubAck is a hint: only the database of notification proves that both players are told. Walks the published matches page by page and asks
 * notification. A match stays in Redis until then. An overdue match is published again if nothing is under way. A match of which a player was
 * announced in another match is void.
 */
export function announcements(options: AnnouncementsOptions) {
  const { store, ask, nothingToAsk, checks, isConnected, isConsumerIdle, overdue, counters, resent, released, log } = options;
  const mode = store.mode.name;
  let from = 0;

  async function runOnce(): Promise<number> {
    if (!isConnected() || !(await checks.passes())) return 0;
    if (from === 0) await checks.note();
    const read = (await store.unannounced(from, page)).map(factsOf);
    const found = read.filter(one => "facts" in one);
    await dropUnreadable(read.filter(one => !("facts" in one)));
    if (found.length === 0) {
      if (from === 0) nothingToAsk();
      from = 0;
      return 0;
    }
    // Asked before notification: so a match that it lacks is not under way any more.
    const isIdle = found.some(isOverdue) && (await isConsumerIdle());
    const asked = await ask({
      match_ids: found.map(({ matchId }) => matchId),
      join_ids: found.flatMap(({ facts }) => facts.players.map(({ join_id }) => join_id)),
    });
    if (!asked.answer) return 0;
    const settled = await settle(found, asked.answer, isIdle === true);
    from = found.length === page ? from + page - settled : 0;
    return found.length;
  }

  /** A match that somebody else wrote to Redis, or that is damaged, must not hold up the others. */
  async function dropUnreadable(unreadable: readonly Unannounced[]): Promise<void> {
    for (const { matchId } of unreadable) {
      repeatsOf(log).write("error", { mode, match_id: matchId }, "match.unreadable", { burst: failedBurst });
      const waiting = await store.voidMatch({ matchId, why: "its event cannot be read", players: [] });
      if (waiting !== undefined) counters.voided.inc({ mode });
    }
  }

  /** Each publish doubles the time, up to 16 times: a match that is refused on arrival is refused again. */
  const isOverdue = ({ age, generation }: Published) => age > overdue * 2 ** Math.min(generation, 4);

  /** Returns how many of them are not published and open any more. */
  async function settle(found: readonly Published[], answer: AnnouncedAnswer, isIdle: boolean): Promise<number> {
    const announcedIn = new Map(answer.joins.map(join => [join.join_id, join]));
    const unreadable = new Set(answer.unreadable);
    const joinsOf = ({ facts }: Published) => facts.players.map(({ join_id }) => announcedIn.get(join_id));
    const isHere = (match: Published) => joinsOf(match).every(join => join?.match_id === match.matchId);
    const isElsewhere = (match: Published) => joinsOf(match).some(join => isOfAnother(match, join, store.keep));
    const isMissing = (match: Published) => !isHere(match) && !isElsewhere(match) && !unreadable.has(match.matchId);

    const announced = await confirm(found.filter(isHere));
    const voided = await voidAll(found.filter(isElsewhere), announcedIn);
    const missing = isIdle ? await resend(found.filter(match => isOverdue(match) && isMissing(match))) : 0;
    return announced + voided + missing;
  }

  async function confirm(here: readonly Published[]): Promise<number> {
    if (here.length === 0) return 0;
    const changed = await store.announced(here.map(({ matchId }) => matchId));
    counters.announced.inc({ mode }, changed.length);
    return changed.length;
  }

  async function voidAll(matches: readonly Published[], announcedIn: ReadonlyMap<string, AnnouncedJoin>): Promise<number> {
    for (const match of matches) {
      const voided = voidedBy(match, announcedIn, store.keep);
      const waiting = await store.voidMatch(voided);
      if (waiting === undefined) continue; // another relay was first
      counters.voided.inc({ mode });
      repeatsOf(log).write("warn", { mode, match_id: match.matchId, why: voided.why, waiting }, "match.void", { burst: rowBurst });
    }
    if (matches.length > 0) released();
    return matches.length;
  }

  async function resend(missing: readonly Published[]): Promise<number> {
    if (missing.length === 0) return 0;
    const changed = await store.resend(missing.map(({ matchId }) => matchId));
    counters.resent.inc({ mode }, changed.length);
    const fields = { mode, count: changed.length, match_ids: someIds(changed) };
    repeatsOf(log).write("warn", fields, "match.missing_at_notification", { key: mode, burst: rowBurst });
    resent();
    return changed.length;
  }

  return { runOnce };
}

function factsOf(one: Unannounced): Published | Unannounced {
  if (!isUuid(one.matchId)) return one;
  try {
    return { ...one, facts: readFacts(one.event) };
  } catch {
    return one;
  }
}

/** Whether a request was announced in another match, so that notification refuses this one. The same rule as in accept_matches.sql. */
function isOfAnother({ matchId, facts }: Published, join: AnnouncedJoin | undefined, keep: number): join is AnnouncedJoin {
  if (join === undefined || join.match_id === matchId) return false;
  return join.counts || Math.abs(facts.paired_at - Date.parse(join.announced_at)) < keep;
}

function voidedBy(match: Published, announcedIn: ReadonlyMap<string, AnnouncedJoin>, keep: number): Voided {
  const players = match.facts.players.map(({ ticket_id, join_id }) => {
    const join = announcedIn.get(join_id);
    return {
      ticketId: ticket_id,
      elsewhere: isOfAnother(match, join, keep)
        ? { matchId: join.match_id, peerUserIds: join.peer_user_ids, session: join.session }
        : undefined,
    };
  });
  const others = players.flatMap(({ elsewhere }) => (elsewhere ? [elsewhere.matchId] : []));
  return { matchId: match.matchId, players, why: `a player was announced in the match ${others.join(" and ")} before` };
}
