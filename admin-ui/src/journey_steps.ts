import type { Action, JourneyEvent, JourneyNotification } from "./api.ts";
import { exact, span } from "./format.ts";
import type { Tone } from "./kinds.ts";

/** Something that happened on the way of an event, or has not yet. */
export interface Step {
  readonly key: string;
  readonly at: string | null;
  readonly tone: Tone;
  readonly title: string;
  readonly who?: string;
  readonly text?: string;
  readonly error?: string;
}

export interface Chain {
  readonly eventId: string;
  readonly event: JourneyEvent | undefined;
  readonly notifications: readonly JourneyNotification[];
}

/** The chain in the order of time; what happened at one time stays in the order of cause. Then what is still to come. */
export function stepsOf({ event, notifications }: Chain): Step[] {
  const steps = [...(event ? stepsOfEvent(event) : []), ...notifications.flatMap(stepsOfNotification)];
  const happened = steps.filter(step => step.at !== null);
  const ordered = happened
    .map((step, index) => ({ step, index }))
    .toSorted((a, b) => Date.parse(a.step.at!) - Date.parse(b.step.at!) || a.index - b.index)
    .map(({ step }) => step);
  const missing = steps.filter(step => step.at === null);
  if (event && notifications.length === 0) missing.push({ key: "processed", at: null, tone: "pending", title: "Taken in by notification" });
  return [...ordered, ...missing];
}

function stepsOfEvent(event: JourneyEvent): Step[] {
  const { audit, idempotency, status } = event;
  const steps: Step[] = [];
  if (idempotency)
    steps.push({
      key: "request",
      at: idempotency.created_at,
      tone: idempotency.response_code < 400 ? "done" : "failed",
      title: `Request ${idempotency.route} answered ${idempotency.response_code}`,
      who: idempotency.client_id,
      text: `idempotency key ${idempotency.idem_key}, kept until ${exact(idempotency.expires_at, "utc")}`,
    });
  if (audit)
    steps.push({
      key: "entitlement",
      at: audit.at,
      tone: "done",
      title: `Entitlement is ${audit.status.toLowerCase()}, version ${audit.version}`,
      who: audit.client_id,
      text: `${event.stock_keeping_unit} of ${event.user_id}`,
    });
  const isGone = status === null;
  const gone = "; published and confirmed since, then deleted there after its time";
  const text = `${event.event_type}${isGone ? gone : ""}`;
  steps.push({ key: "outbox", at: event.created_at, tone: "done", title: "Event written to the outbox", text });
  return [...steps, ...(isGone ? [] : stepsOfPublishing(event)), ...event.actions.map(stepOfAction)];
}

function stepsOfPublishing(event: JourneyEvent): Step[] {
  const steps: Step[] = [];
  const made = event.attempt_count ?? 0;
  const attempts = `${made} ${made === 1 ? "attempt" : "attempts"} in generation ${event.publish_generation}`;
  if (event.published_at)
    steps.push({
      key: "published",
      at: event.published_at,
      tone: "done",
      title: `Published as #${event.stream_seq ?? "?"}${event.stream_duplicate ? ", which was there already" : ""}`,
      text: attempts,
    });
  else
    steps.push({
      key: "published",
      at: null,
      tone: event.status === "FAILED" ? "failed" : made > 0 ? "retry" : "pending",
      title: event.status === "FAILED" ? "Publishing was given up" : "Published",
      ...(made > 0 ? { text: attempts } : {}),
      ...(event.last_error ? { error: event.last_error } : {}),
    });
  steps.push({
    key: "confirmed",
    at: event.confirmed_at,
    tone: event.confirmed_at ? "done" : "pending",
    title: "Confirmed: notification has it",
  });
  return steps;
}

const attemptSteps = {
  sent: { tone: "done", title: "delivered" },
  retry: { tone: "retry", title: "failed, to be tried again" },
  dead: { tone: "failed", title: "failed, given up" },
} as const;

function stepsOfNotification(one: JourneyNotification): Step[] {
  const id = one.notification_id;
  const steps: Step[] = [];
  if (one.processed)
    steps.push({
      key: `${id} processed`,
      at: one.processed.processed_at,
      tone: one.processed.stale ? "stale" : "done",
      title: one.processed.stale ? "Taken in, but a newer version was known: stale" : "Taken in by notification",
      ...(one.processed.stream_seq === null ? {} : { text: `from #${one.processed.stream_seq} of the stream` }),
    });
  steps.push({
    key: `${id} created`,
    at: one.created_at,
    tone: "done",
    title: `Notification for ${one.user_id}`,
    text: `by ${one.channel}, ${id}`,
  });
  for (const { number, started_at, outcome, error, worker, duration_ms } of one.attempts.toSorted((a, b) => a.number - b.number))
    steps.push({
      key: `${id} attempt ${number}`,
      at: started_at,
      tone: attemptSteps[outcome].tone,
      title: `Attempt ${number} ${attemptSteps[outcome].title}`,
      who: worker,
      text: `took ${span(duration_ms)}`,
      ...(error ? { error } : {}),
    });
  if (one.dead) steps.push({ key: `${id} dead`, at: one.dead.failed_at, tone: "failed", title: "Put among the dead letters" });
  steps.push(...one.actions.map(stepOfAction));
  if (one.status !== "FAILED" || one.sent_at)
    steps.push({ key: `${id} sent`, at: one.sent_at, tone: one.sent_at ? "done" : "pending", title: "Sent to the inbox" });
  if (one.sent_at) steps.push({ key: `${id} read`, at: one.read_at, tone: one.read_at ? "done" : "pending", title: "Read by the user" });
  return steps;
}

const stepOfAction = (action: Action): Step => ({
  key: action.action_id,
  at: action.at,
  tone: "flight",
  title: `Operator: ${action.action}`,
  who: action.actor,
  text: action.reason,
});
