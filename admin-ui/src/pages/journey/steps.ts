import type { JourneyDeadLetter, JourneyNotification } from "../../api/journeys.ts";
import { inOrder } from "../../parts/causal_order.ts";
import type { Step } from "../../parts/step.ts";
import type { System } from "../../systems.ts";
import { stepOfAction } from "./actions.ts";
import { stepsOfNotification } from "./delivery.ts";
import { stepsOfPublishing } from "./publishing.ts";
import type { JourneyEvent } from "./queries.ts";

export interface Chain {
  readonly eventId: string;
  readonly event: JourneyEvent | undefined;
  readonly notifications: readonly JourneyNotification[];
  readonly letters?: readonly JourneyDeadLetter[];
  /** Systems that did not respond. */
  readonly unasked?: readonly System[];
}

/** The steps in causal order, then the missing steps. */
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
      title: `Request ${idempotency.route} returned ${idempotency.response_code}`,
      who: idempotency.client_id,
      text: `request key ${idempotency.idem_key}`,
      speaksOf: { word: "stored until", at: idempotency.expires_at },
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

/** An unreadable message needs an operator, who reprocesses or discards it. */
const stepsOfLetter = ({ id, received_at, reprocessed_at, reason, untrusted, stream_seq, actions }: JourneyDeadLetter): Step[] => [
  {
    key: `${id} received`,
    at: received_at,
    tone: reprocessed_at ? "retry" : "failed",
    title: untrusted ? "A message with this event id was refused" : "Message could not be read",
    text: `#${stream_seq} of the stream`,
    error: reason,
    ...(reprocessed_at ? { letter: id } : {}),
    after: ["published"],
  },
  ...actions.map(action => stepOfAction(action, [`${id} received`])),
];

/** The step of consuming the event, if no notification shows it. */
function intakeOf({ event, notifications, letters = [], unasked = [] }: Chain): Step[] {
  if (notifications.length > 0 || !event) return [];
  const step = { key: "processed", at: null, title: "Consumed by notification" } as const;
  if (unasked.includes("notification")) return [{ ...step, tone: "pending", missing: "unknown" }];
  const open = letters.find(({ reprocessed_at }) => !reprocessed_at);
  if (open) return [{ ...step, tone: "failed", title: "Not consumed: needs attention", letter: open.id }];
  // An event is confirmed only if notification has it, and deleted only if it is confirmed.
  if (event.confirmed_at || event.status === null) return [];
  return [{ ...step, tone: "pending" }];
}
