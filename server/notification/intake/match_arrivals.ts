import { sqlState, violatedConstraint } from "../../kernel/postgres/database.ts";
import type { Delivered, DeliverOnWrite } from "../delivery/deliver_on_write.ts";
import type { AcceptMatchesParameters, AcceptMatchesRow, NotificationSql } from "../sql.gen.ts";
import { type IncomingMatch, matchFound } from "./match_event.ts";

export interface MatchArrival {
  readonly event: IncomingMatch;
  readonly streamSeq: number;
}

export interface MatchArrivals {
  readonly arrivals: readonly MatchArrival[];
  /** How long a request to join that was announced counts, in milliseconds. */
  readonly keep: number;
  readonly channel: string;
  readonly delivery: Pick<DeliverOnWrite, "worker" | "mayDeliver">;
}

/** `waiting`: it shares a request to join with a match before it in the batch, and is judged when that one is stored. */
export interface AcceptedMatch {
  readonly outcome: "accepted" | "duplicate" | "conflict" | "waiting";
  /** Of a conflict: the match in which a request to join was announced before. */
  readonly announcedIn: string | null;
  /** The notifications that were SENT from the start, by the id of the notice. */
  readonly delivered: ReadonlyMap<string, Pick<Delivered, "notification_id" | "position">>;
}

// Retry limit. Each lost race means that a rival committed, so this cannot go on forever. A deadlock has never been seen.
const maxRuns = 8;

/** Consumes a batch of matches. Returns what became of each, in the order of the batch. */
export async function acceptMatches(sql: Pick<NotificationSql, "accept_matches">, batch: MatchArrivals): Promise<AcceptedMatch[]> {
  const { first, waiting } = withoutSharedJoins(batch.arrivals);
  const rows = first.length === 0 ? [] : await runUntilSettled(() => sql.accept_matches(parametersOf(first, batch)));
  const rowsOf = Map.groupBy(rows, row => row.match_id);
  const chosen = new Set(first);
  return batch.arrivals.map(arrival => {
    if (waiting.has(arrival.event.matchId)) return { outcome: "waiting", announcedIn: null, delivered: new Map() };
    const accepted = acceptedOf(rowsOf.get(arrival.event.matchId)!);
    // The same match twice in a batch: the first arrival stands for both.
    return chosen.has(arrival) || accepted.outcome !== "accepted" ? accepted : { ...accepted, outcome: "duplicate", delivered: new Map() };
  });
}

/** The first arrival of each match, and the ids of matches that share a request to join with an earlier one. One statement takes only one of these. */
function withoutSharedJoins(arrivals: readonly MatchArrival[]) {
  const matchOf = new Map<string, string>();
  const first: MatchArrival[] = [];
  const seen = new Set<string>();
  const waiting = new Set<string>();
  for (const arrival of arrivals.toSorted((a, b) => a.streamSeq - b.streamSeq)) {
    const { matchId, notices } = arrival.event;
    if (seen.has(matchId)) continue;
    seen.add(matchId);
    if (notices.some(({ joinId }) => matchOf.has(joinId))) waiting.add(matchId);
    else first.push(arrival);
    for (const { joinId } of notices) matchOf.set(joinId, matchId);
  }
  return { first, waiting };
}

async function runUntilSettled(run: () => Promise<AcceptMatchesRow[]>): Promise<AcceptMatchesRow[]> {
  for (let runs = 1; ; runs++) {
    try {
      return await run();
    } catch (error) {
      const lostRace = sqlState(error) === "23505" && violatedConstraint(error) === "announced_joins_pkey";
      if (runs === maxRuns || !(lostRace || sqlState(error) === "40P01")) throw error;
    }
  }
}

function parametersOf(arrivals: readonly MatchArrival[], { keep, channel, delivery }: MatchArrivals): AcceptMatchesParameters {
  const rows = arrivals.flatMap(({ event, streamSeq }) => event.notices.map(notice => ({ ...event, streamSeq, notice })));
  return {
    match_id: rows.map(({ matchId }) => matchId),
    stream_seq: rows.map(({ streamSeq }) => streamSeq),
    occurred_at: rows.map(({ occurredAt }) => occurredAt),
    session: rows.map(({ session }) => session),
    join_id: rows.map(({ notice }) => notice.joinId),
    event_id: rows.map(({ notice }) => notice.eventId),
    event_type: rows.map(() => matchFound),
    aggregate_key: rows.map(({ notice }) => notice.aggregateKey),
    user_id: rows.map(({ notice }) => notice.userId),
    payload: rows.map(({ notice }) => notice.payload),
    traceparent: rows.map(({ notice }) => notice.traceparent),
    keep_seconds: keep / 1000,
    channel,
    worker: delivery.worker,
    deliver: delivery.mayDeliver(rows.map(({ notice }) => notice.userId)),
  };
}

const acceptedOf = (rows: readonly AcceptMatchesRow[]): AcceptedMatch => ({
  outcome: rows[0]!.outcome as AcceptedMatch["outcome"],
  announcedIn: rows.find(row => row.announced_in !== null)?.announced_in ?? null,
  delivered: new Map(
    rows.flatMap(({ event_id, sent_id, position }) =>
      sent_id === null || position === null ? [] : [[event_id, { notification_id: sent_id, position }] as const],
    ),
  ),
});
