import type { Attempt } from "../../api/answers.ts";
import type { JourneyNotification } from "../../api/journeys.ts";
import { span } from "../../parts/format.ts";
import { type MatchNotice, matchIn, noticeText } from "../../parts/notice_words.ts";
import { meaningOf } from "../../parts/row_kinds.ts";
import type { Step } from "../../parts/step.ts";
import { kindOf } from "../../systems.ts";
import { stepOfAction } from "./actions.ts";
import type { JourneyEvent } from "./queries.ts";

const outcomes = {
  sent: { tone: "done", title: "delivered" },
  retry: { tone: "retry", title: "failed, retried later" },
  dead: { tone: "failed", title: "failed, last attempt" },
} as const;

/** From the stream to the user's inbox. */
export function stepsOfNotification(one: JourneyNotification, event: JourneyEvent | undefined): Step[] {
  const { notification_id: id, processed, dead } = one;
  // A republished event was consumed before its last publish.
  const isOfThis = processed !== null && processed.stream_seq === event?.stream_seq;
  const match = matchIn(one);
  const steps: Step[] = match ? stepsOfMatch(match) : [];
  if (processed)
    steps.push({
      key: "processed",
      at: processed.processed_at,
      tone: processed.stale ? "stale" : "done",
      title: processed.stale ? "Consumed as stale: a newer version had already arrived" : "Consumed by notification",
      ...(processed.stream_seq === null ? {} : { text: `from #${processed.stream_seq} of the stream` }),
      after: match ? ["paired"] : isOfThis ? ["published"] : ["outbox"],
    });
  steps.push({
    key: `${id} created`,
    at: one.created_at,
    tone: "done",
    title: `Notification created for ${one.user_id}`,
    text: `${match ? `${noticeText(one)} ` : ""}by ${one.channel}, ${id}`,
    after: ["processed"],
  });
  const attempts = one.attempts.toSorted((a, b) => a.number - b.number);
  const lastOf = attempts.findLast(({ started_at }) => dead && started_at <= dead.failed_at);
  steps.push(...attempts.map((attempt, index) => stepOfAttempt(id, attempt, attempt === lastOf, attempts[index - 1])));
  if (dead)
    steps.push({
      key: `${id} dead`,
      at: dead.failed_at,
      tone: "failed",
      title: "Moved to the dead-letter queue",
      after: [`${id} created`, ...(lastOf ? [`${id} attempt ${lastOf.number}`] : [])],
    });
  steps.push(...one.actions.map(action => stepOfAction(action, [`${id} created`])), ...endOf(one, attempts.at(-1)));
  return steps;
}

/** What the notice says of its match. Matchmaking has the rest. Masked times are left out. */
const stepsOfMatch = ({ matchId, mode, peer, joinedAt, pairedAt }: MatchNotice): Step[] =>
  [
    { key: "joined", at: joinedAt, tone: "done", title: `Joined the queue ${mode}` } as const,
    { key: "paired", at: pairedAt, tone: "done", title: `Paired with ${peer}`, text: `match ${matchId}`, after: ["joined"] } as const,
  ].filter(({ at }) => !Number.isNaN(Date.parse(at)));

function stepOfAttempt(
  id: string,
  { number, started_at, outcome, error, worker, duration_ms }: Attempt,
  isLast: boolean,
  before: Attempt | undefined,
): Step {
  // Old rows have `retry` as the outcome of the last attempt.
  const { tone, title } = outcomes[isLast && outcome === "retry" ? "dead" : outcome];
  return {
    key: `${id} attempt ${number}`,
    at: started_at,
    tone,
    title: `Attempt ${number} ${title}`,
    who: worker,
    text: `took ${span(duration_ms)}`,
    ...(error ? { error } : {}),
    after: [before ? `${id} attempt ${before.number}` : `${id} created`],
  };
}

/** Delivery and reading, or the reason why neither has happened. */
function endOf(
  { notification_id: id, status, sent_at, read_at, position, next_retry_at, attempt_count }: JourneyNotification,
  last: Attempt | undefined,
): Step[] {
  const row = { kind: "notifications", id, status, attempts: attempt_count } as const;
  const key = `${id} sent`;
  const title = "Delivered to the inbox";
  if (sent_at)
    return [
      {
        key,
        at: sent_at,
        tone: "done",
        title,
        ...(position === null ? {} : { text: `position ${position} of the feed` }),
        after: [`${id} attempt ${last?.number}`],
      },
      { key: `${id} read`, at: read_at, tone: read_at ? "done" : "pending", title: "Read by the user", after: [key] },
    ];
  const meaning = meaningOf(kindOf(row.kind), row);
  if (meaning === "failed") return [{ key, at: null, tone: "failed", title: "Not delivered: needs attention", row }];
  if (meaning === "retrying")
    return [
      { key, at: null, tone: "retry", title, ...(next_retry_at ? { speaksOf: { word: "next attempt", at: next_retry_at } } : {}), row },
    ];
  return [
    {
      key,
      at: null,
      tone: meaning === "held" ? "flight" : "pending",
      title,
      ...(status === "PROCESSING" ? { text: "in progress" } : {}),
      row,
    },
  ];
}
