import type { Count } from "../../api/answers.ts";
import type { Queues } from "../../api/matchmaking_answers.ts";
import { type MatchTrouble, matchTroublesOf } from "../../parts/match_troubles.ts";
import type { Finding } from "./headline.ts";
import type { Cause } from "./outage.ts";

/** Matches that are not published, and the age of the oldest in milliseconds. */
export function unpublishedIn(queues: Queues | undefined): { count: Count; oldest: number | undefined } | undefined {
  const all = queues?.queues;
  if (!all) return undefined;
  const oldest = Math.max(0, ...all.map(queue => queue.oldest_unpublished_seconds ?? 0));
  return { count: { count: all.reduce((sum, { unpublished }) => sum + unpublished, 0), more: false }, oldest: oldest * 1000 || undefined };
}

interface Seen {
  readonly queues: Queues | undefined;
  readonly causes: readonly Cause[];
  /** Paused roles. */
  readonly paused: readonly string[];
}

/** What the queues show: matches that nobody is told of, and queues that do not move. A cause that names the waiting matches is enough. */
export function matchFindings({ queues, causes, paused }: Seen, tone: MatchTrouble["tone"]): Finding[] {
  const isNamed = causes.some(({ holdsMatches }) => holdsMatches);
  return matchTroublesOf(queues?.queues ?? [], paused)
    .filter(trouble => trouble.tone === tone && !(isNamed && trouble.kind === "unpublished"))
    .map(({ text }) => ({ tone, text: tone === "failed" ? `${text}: needs attention` : text, to: "/matchmaking" }));
}
