import type { Action, JourneyEvent, JourneyNotification, RawDeadLetter, System } from "../../api/client.ts";
import type { Kind, Tone } from "../../parts/kinds.ts";
import { stepOfAction } from "./actions.ts";
import { stepsOfNotification } from "./delivery.ts";
import { inOrder } from "./order.ts";
import { stepsOfPublishing } from "./publishing.ts";

/** Something that happened on the way of an event, or has not yet. */
export interface Step {
  readonly key: string;
  readonly at: string | null;
  readonly tone: Tone;
  readonly title: string;
  readonly who?: string;
  readonly text?: string;
  readonly error?: string;
  /** A time that it speaks of, with the word before it. */
  readonly speaksOf?: { readonly word: string; readonly at: string };
  /** Steps that must have been first, by their keys. */
  readonly after?: readonly string[];
  /** Why it has no time, if not because it has not happened yet. */
  readonly missing?: string;
  /** The row that an operator may act on here. */
  readonly row?: { readonly kind: Kind["name"]; readonly id: string; readonly status: string; readonly attempts: number };
  /** The unreadable message that this is about. */
  readonly letter?: string;
}

export interface JourneyDeadLetter extends RawDeadLetter {
  readonly actions: readonly Action[];
}

export interface Chain {
  readonly eventId: string;
  readonly event: JourneyEvent | undefined;
  readonly notifications: readonly JourneyNotification[];
  readonly letters?: readonly JourneyDeadLetter[];
  /** Systems that could not be asked. */
  readonly unasked?: readonly System[];
}

/** The chain in the order of cause, then what is still to come. */
export function stepsOf(chain: Chain): Step[] {
  const { event, notifications, letters = [] } = chain;
  const steps = [
    ...(event ? stepsOfEvent(event) : []),
    ...letters.flatMap(stepsOfLetter),
    ...notifications.flatMap(one => stepsOfNotification(one, event)),
    ...intakeOf(chain),
  ];
  return [...inOrder(steps.filter(step => step.at !== null)), ...inOrder(steps.filter(step => step.at === null))];
}

function stepsOfEvent(event: JourneyEvent): Step[] {
  const { audit, idempotency, status, actions } = event;
  const steps: Step[] = [];
  if (idempotency)
    steps.push({
      key: "request",
      at: idempotency.created_at,
      tone: idempotency.response_code < 400 ? "done" : "failed",
      title: `Request ${idempotency.route} answered ${idempotency.response_code}`,
      who: idempotency.client_id,
      text: `idempotency key ${idempotency.idem_key}`,
      speaksOf: { word: "kept until", at: idempotency.expires_at },
    });
  if (audit)
    steps.push({
      key: "entitlement",
      at: audit.at,
      tone: "done",
      title: `Entitlement is ${audit.status.toLowerCase()}, version ${audit.version}`,
      who: audit.client_id,
      text: `${event.stock_keeping_unit} of ${event.user_id}`,
      after: ["request"],
    });
  const isDiscarded = actions.some(({ action }) => action === "outbox.discard");
  const gone = status === null && !isDiscarded ? "; published and confirmed, then deleted from the outbox after its retention" : "";
  steps.push({
    key: "outbox",
    at: event.created_at,
    tone: "done",
    title: "Event written to the outbox",
    text: `${event.event_type}${gone}`,
    after: ["request", "entitlement"],
  });
  return [...steps, ...(status === null ? [] : stepsOfPublishing(event)), ...actions.map(action => stepOfAction(action, ["outbox"]))];
}

/** A message that could not be read waits for a person, who has it read again or discards it. */
const stepsOfLetter = ({ id, received_at, reprocessed_at, reason, untrusted, stream_seq, actions }: JourneyDeadLetter): Step[] => [
  {
    key: `${id} received`,
    at: received_at,
    tone: reprocessed_at ? "retry" : "failed",
    title: untrusted ? "A message under its id was refused" : "Message could not be read",
    text: `#${stream_seq} of the stream`,
    error: reason,
    ...(reprocessed_at ? { letter: id } : {}),
    after: ["published"],
  },
  ...actions.map(action => stepOfAction(action, [`${id} received`])),
];

/** The intake, if no notification tells of it. */
function intakeOf({ event, notifications, letters = [], unasked = [] }: Chain): Step[] {
  if (notifications.length > 0 || !event) return [];
  const step = { key: "processed", at: null, title: "Consumed by notification" } as const;
  if (unasked.includes("notification")) return [{ ...step, tone: "pending", missing: "not known now" }];
  const open = letters.find(({ reprocessed_at }) => !reprocessed_at);
  if (open) return [{ ...step, tone: "failed", title: "Not consumed: needs attention", letter: open.id }];
  // Only what notification holds is confirmed, and only what is confirmed is deleted after a while.
  if (event.confirmed_at || event.status === null) return [];
  return [{ ...step, tone: "pending" }];
}
