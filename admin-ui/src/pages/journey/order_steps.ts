import { inOrder } from "../../parts/causal_order.ts";
import { span } from "../../parts/format.ts";
import { callWords, needsAttention, orderWords, unknownOutcome } from "../../parts/order_words.ts";
import type { State, Tone } from "../../parts/row_kinds.ts";
import type { Step } from "../../parts/step.ts";
import { stepOfAction } from "./actions.ts";
import type { JourneyOrder } from "./queries.ts";

type Call = JourneyOrder["calls"][number];
type Change = JourneyOrder["history"][number];
type Action = JourneyOrder["actions"][number];

/** The state of an order in a word. */
export function orderOutcomeOf({ status, reason_code, outbox }: JourneyOrder): Pick<State, "tone" | "word"> {
  if (outbox?.outcome_unknown) return unknownOutcome;
  if (status === "succeeded") return { tone: "done", word: "Succeeded" };
  if (reason_code === "CANCELLED") return { tone: "pending", word: "Cancelled" };
  if (reason_code === "EXPIRED") return { tone: "pending", word: "Expired" };
  if (status === "failed") return { tone: "failed", word: "Failed" };
  return outbox?.status === "failed" ? { tone: "retry", word: "Retrying" } : { tone: "flight", word: "In progress" };
}

/** From the client to the broker: accepted, each call, each change of the ledger, and what people did; then the end that is still missing. */
export function orderStepsOf(order: JourneyOrder): Step[] {
  const { history, actions } = order;
  const accepted = history.find(({ from_status }) => from_status === null);
  const steps = [
    acceptanceOf(order, accepted),
    ...order.calls.map(stepOfCall),
    ...history.filter(one => one !== accepted).map(stepOfChange),
    ...actions.filter(action => !history.some(change => isRecordOf(change, action))).map(action => stepOfAction(action, ["accepted"])),
  ];
  return [...inOrder(steps), ...endOfOrder(order)];
}

// What each action makes of the ledger entry.
const changesTo: Record<string, readonly string[]> = {
  "order.requeue": ["accepted"],
  "order.ask": ["succeeded", "failed"],
  "order.resolve": ["succeeded", "failed"],
};
const sameTime = 1000;

/** Whether a change of the ledger is the record of this action: one statement writes both. The action is then no step of its own. */
const isRecordOf = (change: Change, { action, actor, reason, at, detail }: Action) =>
  change.from_status !== null &&
  change.actor === actor &&
  change.reason === reason &&
  (changesTo[action] ?? []).includes(change.to_status) &&
  // An ask that settled nothing has the broker's answer instead.
  (action !== "order.ask" || (detail as { outcome?: unknown } | null)?.outcome !== undefined) &&
  Math.abs(Date.parse(change.at) - Date.parse(at)) < sameTime;

const acceptanceOf = (
  { accepted_at, client_id, idempotency_key, request, outbox, actions }: JourneyOrder,
  change: Change | undefined,
): Step => ({
  key: "accepted",
  at: change?.at ?? accepted_at,
  tone: "done",
  title: `Order accepted: ${orderWords(request)}`,
  who: client_id,
  text: `key ${idempotency_key}${outbox ? "" : `; ${whyGone(actions)}`}`,
  ...(request.expires_at ? { speaksOf: { word: "expires", at: request.expires_at } } : {}),
});

const whyGone = (actions: readonly Action[]) =>
  actions.some(({ action }) => action === "order.discard")
    ? "discarded by an operator, with its calls to the broker; the ledger keeps its entry"
    : "settled, then deleted from the outbox after its retention";

function stepOfCall({ number, kind, started_at, outcome, worker, duration_ms, code, message }: Call): Step {
  const { tone, word } = callWords({ kind, outcome });
  const error = [code, message].filter(Boolean).join(": ");
  return {
    key: `call ${number}`,
    at: started_at,
    tone,
    title: word,
    who: worker,
    text: `took ${span(duration_ms)}`,
    ...(error ? { error } : {}),
    after: [number > 1 ? `call ${number - 1}` : "accepted"],
  };
}

const tones: Record<string, Tone> = { accepted: "flight", succeeded: "done", failed: "failed" };

/** The ledger's entry changes after the call that decided it. */
const stepOfChange = ({ entry_id, at, actor, from_status, to_status, reason }: Change): Step => ({
  key: entry_id,
  at,
  tone: tones[to_status] ?? "pending",
  title: to_status === "accepted" ? `Requeued: ${from_status} → accepted` : `Settled: ${from_status} → ${to_status}`,
  who: actor,
  text: reason,
  after: ["accepted"],
});

/** What has not happened yet, or needs a person. */
function endOfOrder({ order_id, status, reason_code, settled_at, outbox }: JourneyOrder): Step[] {
  if (!outbox || status === "succeeded") return [];
  const row = { kind: "orders", id: order_id, status: outbox.status, attempts: outbox.attempts, failedAt: settled_at } as const;
  const step = { key: "settled", at: null, title: "Settled" } as const;
  const next = { speaksOf: { word: outbox.outcome_unknown ? "next question" : "next attempt", at: outbox.next_attempt_at } };
  if (outbox.outcome_unknown)
    return [
      {
        ...step,
        tone: "stale",
        missing: "outcome unknown, the broker is asked",
        unknownOrder: order_id,
        ...(outbox.status === "sending" ? { text: "in progress" } : next),
      },
    ];
  if (status === "failed")
    return !needsAttention(reason_code) ? [] : [{ ...step, tone: "failed", title: "Not executed: needs attention", row }];
  if (outbox.status === "sending") return [{ ...step, tone: "flight", text: "in progress" }];
  return outbox.status === "failed" ? [{ ...step, tone: "retry", ...next, row }] : [{ ...step, tone: "pending" }];
}
