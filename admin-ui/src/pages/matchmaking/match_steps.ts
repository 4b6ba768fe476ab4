import type { JourneyNotification } from "../../api/journeys.ts";
import type { Match, MatchPlayer } from "../../api/matchmaking_answers.ts";
import { inOrder } from "../../parts/causal_order.ts";
import { span } from "../../parts/format.ts";
import { meaningOf } from "../../parts/row_kinds.ts";
import type { Step } from "../../parts/step.ts";
import { kindOf } from "../../systems.ts";
import type { Announcement } from "./queries.ts";

type NameOf = (userId: string) => string;

/** From joining to being told, both players on one line. Undefined: notification has not answered yet. */
export function matchStepsOf(match: Match, announced: Announcement | undefined, nameOf: NameOf): Step[] {
  const steps = [
    ...match.players.map(player => joined(match, player, nameOf)),
    paired(match),
    ...(match.state === "VOID" && match.published_at === null ? [] : [published(match)]),
    ...letterSteps(announced),
    ...consumed(match, announced),
    ...match.players.flatMap(player => told(match, player, announced, nameOf)),
    ...end(match),
  ];
  return [...inOrder(steps.filter(step => step.at !== null)), ...inOrder(steps.filter(step => step.at === null))];
}

const joinKey = ({ ticket_id }: MatchPlayer) => `joined ${ticket_id}`;

const joined = ({ mode }: Match, player: MatchPlayer, nameOf: NameOf): Step => ({
  key: joinKey(player),
  at: player.joined_at,
  tone: "done",
  title: `${nameOf(player.user_id)} joined ${mode}`,
  text: `waited ${span(player.waited_seconds * 1000)}`,
  ticket: player.ticket_id,
  isUnhurried: true,
});

const paired = ({ players, paired_at }: Match): Step => ({
  key: "paired",
  at: paired_at,
  tone: "done",
  title: "Paired",
  isUnhurried: true,
  after: players.map(joinKey),
});

function published({ published_at, stream_seq, publish_generation: generation, why, state }: Match): Step {
  const step = { key: "published", at: published_at, after: ["paired"] };
  if (published_at === null)
    return { ...step, title: "Published", ...(why && state === "PAIRED" ? { tone: "retry", error: why } : { tone: "pending" }) };
  return {
    ...step,
    tone: "done",
    title: `Published ${generation > 0 ? "again " : ""}as #${stream_seq ?? "?"}`,
    text: `generation ${generation}`,
  };
}

const noticeOf = (announced: Announcement | undefined, { notice_id }: MatchPlayer): JourneyNotification | undefined =>
  announced?.notices.find(({ event_id }) => event_id === notice_id);

/** Unreadable messages of this match. */
const letterSteps = (announced: Announcement | undefined): Step[] =>
  (announced?.letters ?? []).map(({ id, received_at, reprocessed_at, reason, stream_seq }) => ({
    key: `letter ${id}`,
    at: received_at,
    tone: reprocessed_at ? "retry" : "failed",
    title: "Message could not be read",
    text: `#${stream_seq} of the stream`,
    error: reason,
    letter: id,
    after: ["published"],
  }));

/** Both notices are written at once, so the first one shows when. */
function consumed(match: Match, announced: Announcement | undefined): Step[] {
  const step = { key: "consumed", title: "Consumed by notification", after: ["published"] } as const;
  const [first] = match.players.flatMap(player => noticeOf(announced, player) ?? []);
  if (first) {
    const seq = first.processed?.stream_seq ?? null;
    return [
      {
        ...step,
        at: first.processed?.processed_at ?? first.created_at,
        tone: "done",
        ...(seq === null ? {} : { text: `from #${seq} of the stream` }),
      },
    ];
  }
  if (match.state === "VOID" || announced?.letters.some(({ reprocessed_at }) => !reprocessed_at)) return [];
  return [{ ...step, at: null, ...unseen(match, announced) }];
}

/** Why a step of notification is missing: it was not asked, its rows are deleted, or it did not happen yet. */
function unseen({ announced_at }: Match, announced: Announcement | undefined): Pick<Step, "tone"> & { missing?: string } {
  if (announced === undefined) return { tone: "pending", missing: "loading" };
  if (announced.trouble !== undefined) return { tone: "pending", missing: "unknown, notification does not answer" };
  return announced_at ? { tone: "pending", missing: "deleted after its retention" } : { tone: "pending" };
}

/** The delivery to one player. A failed one needs an operator. */
function told(match: Match, player: MatchPlayer, announced: Announcement | undefined, nameOf: NameOf): Step[] {
  const notice = noticeOf(announced, player);
  const name = nameOf(player.user_id);
  const step = { key: `told ${player.notice_id}`, at: null, title: `${name} told`, after: ["consumed"] } as const;
  if (!notice) return match.state === "VOID" ? [] : [{ ...step, ...unseen(match, announced) }];
  const { notification_id: id, status, attempt_count: attempts, sent_at, position, last_error, next_retry_at } = notice;
  if (sent_at)
    return [
      { ...step, at: sent_at, tone: "done", notification: id, ...(position === null ? {} : { text: `position ${position} of the feed` }) },
    ];
  const row = { kind: "notifications", id, status, attempts } as const;
  const error = last_error ? { error: last_error } : {};
  const meaning = meaningOf(kindOf("notifications"), row);
  if (meaning === "failed")
    return [{ ...step, tone: "failed", title: `${name} not told: needs attention`, ...error, notification: id, row }];
  if (meaning === "retrying")
    return [{ ...step, tone: "retry", ...error, speaksOf: { word: "next attempt", at: next_retry_at }, notification: id, row }];
  return [{ ...step, tone: meaning === "held" ? "flight" : "pending", notification: id }];
}

/** The confirmation, or why there is no match. */
function end({ state, why, announced_at, voided_at }: Match): Step[] {
  if (state === "VOID")
    return [
      {
        key: "void",
        at: voided_at,
        tone: "failed",
        title: "Void: nobody is told of this match",
        ...(why ? { error: why } : {}),
        after: ["paired", "published"],
      },
    ];
  return [
    {
      key: "announced",
      at: announced_at,
      tone: announced_at ? "done" : "pending",
      title: "Announced: notification holds both notices",
      // Independent of the delivery: it says that the notices are stored.
      after: ["consumed"],
    },
  ];
}
