import type { Queue } from "../api/matchmaking_answers.ts";
import { number, span } from "./format.ts";
import type { Tone } from "./row_kinds.ts";

/** Something in matchmaking that a person should know of, in one or several modes. */
export interface MatchTrouble {
  readonly kind: "unpublished" | "unannounced" | "matcher" | "invalid";
  /** `failed` needs a person, `retry` usually passes by itself. */
  readonly tone: Extract<Tone, "failed" | "retry">;
  readonly count: number;
  readonly text: string;
  /** What to do about it. */
  readonly advice: string;
}

interface Limit {
  readonly slow: number;
  readonly late: number;
}

// Seconds. The relay publishes a match within milliseconds, and asks for confirmations every second.
const publishing: Limit = { slow: 5, late: 30 };
const announcing: Limit = { slow: 10, late: 30 };
// The matcher looks several times a second. A busy one may need a moment longer.
const matcherGrace = 10;

const seconds = (value: number) => span(value * 1000);
const matches = (many: number) => `${number(many)} ${many === 1 ? "match is" : "matches are"}`;
const oldestOf = (ages: readonly (number | null)[]) => ages.reduce<number>((oldest, age) => Math.max(oldest, age ?? 0), 0);
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
const toneOf = (age: number, { slow, late }: Limit, isSlow = false) => (age > late ? "failed" : age > slow || isSlow ? "retry" : undefined);

export const invalidIn = ({ minutes }: Pick<Queue, "minutes">): number => sum(minutes.map(({ invalid }) => invalid));

/** How a backlog looks: by the age of its oldest match. */
export const publishTone = (queue: Queue) =>
  queue.unpublished === 0 ? undefined : toneOf(queue.oldest_unpublished_seconds ?? 0, publishing);
export const announceTone = (queue: Queue) =>
  queue.unconfirmed === 0 ? undefined : toneOf(queue.oldest_unconfirmed_seconds ?? 0, announcing);

/** What stands still because an operator has paused the role. A ticket past its expiry is not: a paused matcher still ends it. */
const isPausedWork = ({ kind }: MatchTrouble, paused: readonly string[]): boolean =>
  (kind === "unpublished" && paused.includes("matchmaking:relay")) || (kind === "unannounced" && paused.includes("notification:consumer"));

/** The troubles of these modes together, the gravest first. An expired ticket is no trouble, and neither is work that was paused. */
export function matchTroublesOf(queues: readonly Queue[], paused: readonly string[] = []): MatchTrouble[] {
  const isMatcherPaused = paused.includes("matchmaking:matcher");
  const seen = isMatcherPaused ? queues.map(queue => ({ ...queue, unpaired_seconds: null })) : queues;
  const found = [unpublishedIn(queues), unannouncedIn(queues), ...seen.map(matcherOf), invalidOf(queues)];
  const known = found.filter(one => one !== undefined).filter(one => !isPausedWork(one, paused));
  return [...known.filter(({ tone }) => tone === "failed"), ...known.filter(({ tone }) => tone === "retry")];
}

const worst = (tones: readonly ("failed" | "retry" | undefined)[]) => (tones.includes("failed") ? "failed" : tones.find(tone => tone));

function unpublishedIn(queues: readonly Queue[]): MatchTrouble | undefined {
  const tone = worst(queues.map(publishTone));
  if (!tone) return undefined;
  const count = sum(queues.map(({ unpublished }) => unpublished));
  const age = seconds(oldestOf(queues.map(queue => queue.oldest_unpublished_seconds)));
  return {
    kind: "unpublished",
    tone,
    count,
    text: `${matches(count)} not published, the oldest for ${age}`,
    advice:
      "The players are paired and nobody has told them. Check the relay of matchmaking, NATS and its stream. Publishing continues by itself.",
  };
}

function unannouncedIn(queues: readonly Queue[]): MatchTrouble | undefined {
  const tone = worst(queues.map(announceTone));
  if (!tone) return undefined;
  const count = sum(queues.map(({ unconfirmed }) => unconfirmed));
  const age = seconds(oldestOf(queues.map(queue => queue.oldest_unconfirmed_seconds)));
  return {
    kind: "unannounced",
    tone,
    count,
    text: `${matches(count)} published and not announced, the oldest for ${age}`,
    advice: "Check the consumer of notification, its lag, and its unreadable messages. An overdue match is published again by itself.",
  };
}

/** Whether two players wait whom the strategy pairs at once. */
export const isUnpaired = ({ unpaired_seconds: unpaired }: Queue): boolean => (unpaired ?? 0) > matcherGrace;
/** Whether a ticket waits although its time is over: nobody removes it. */
export const isOverdue = ({ overdue_seconds: overdue }: Queue): boolean => (overdue ?? 0) > matcherGrace;

function matcherOf(queue: Queue): MatchTrouble | undefined {
  const { mode, waiting, unpaired_seconds: unpaired, overdue_seconds: overdue } = queue;
  if (!isUnpaired(queue) && !isOverdue(queue)) return undefined;
  const who = `${number(waiting)} ${waiting === 1 ? "player waits" : "players wait"} in ${mode}`;
  return {
    kind: "matcher",
    tone: "failed",
    count: waiting,
    text: isUnpaired(queue)
      ? `${who}, and nobody has paired them for ${seconds(unpaired ?? 0)}`
      : `${who}, and a ticket is ${seconds(overdue ?? 0)} past its expiry`,
    advice: "The matcher does not run or does not keep up. Look at its process, and for its name in the log.",
  };
}

function invalidOf(queues: readonly Queue[]): MatchTrouble | undefined {
  const count = sum(queues.map(invalidIn));
  if (count === 0) return undefined;
  return {
    kind: "invalid",
    tone: "failed",
    count,
    text: `${number(count)} ${count === 1 ? "ticket" : "tickets"} became invalid in the last hour`,
    advice: "The reason of each is in the list of invalid tickets. The players have to join again.",
  };
}

/** How many things need a person, for the badge. */
export const matchAttention = (troubles: readonly MatchTrouble[]): number =>
  sum(troubles.filter(({ tone }) => tone === "failed").map(({ count }) => count));
