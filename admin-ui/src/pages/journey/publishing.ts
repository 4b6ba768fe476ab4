import { attemptsOf } from "../../parts/publish_attempts.ts";
import { meaningOf } from "../../parts/row_kinds.ts";
import type { Step } from "../../parts/step.ts";
import { kindOf } from "../../systems.ts";
import type { JourneyEvent } from "./queries.ts";

const many = (attempts: number) => `${attempts} ${attempts === 1 ? "attempt" : "attempts"} failed`;

/** From the outbox to the stream, and the confirmation by notification. */
export function stepsOfPublishing(event: JourneyEvent): Step[] {
  const { published_at, confirmed_at, missing_at, stream_seq, stream_duplicate, publish_generation } = event;
  const row = { kind: "outbox", id: event.event_id, status: event.status ?? "", attempts: event.attempt_count ?? 0 } as const;
  const published: Step = published_at
    ? {
        key: "published",
        at: published_at,
        tone: "done",
        title: `Published ${publish_generation ? "again " : ""}as #${stream_seq ?? "?"}${stream_duplicate ? " (duplicate)" : ""}`,
        text: attemptsOf(event),
        after: ["outbox"],
      }
    : { key: "published", at: null, row, ...waiting(event) };
  const confirmed: Step = {
    key: "confirmed",
    at: confirmed_at,
    tone: confirmed_at ? "done" : "pending",
    title: "Confirmed: notification stored it",
    // Independent of the delivery steps: confirmation does not wait for delivery.
    after: ["published", "processed"],
  };
  return missing_at ? [published, confirmed, { ...missing, at: missing_at }] : [published, confirmed];
}

/** The database of notification was restored to an earlier state. */
const missing = { key: "missing", tone: "failed", title: "Missing: notification no longer has it", after: ["confirmed"] } as const;

function waiting({
  status,
  attempt_count,
  last_error,
  next_retry_at,
}: JourneyEvent): Pick<Step, "tone" | "title" | "text" | "error" | "speaksOf"> {
  const made = attempt_count ?? 0;
  const error = last_error ? { error: last_error } : {};
  const meaning = meaningOf(kindOf("outbox"), { status: status ?? "", attempts: made });
  if (meaning === "failed") return { tone: "failed", title: "Not published: needs attention", text: many(made), ...error };
  if (meaning === "held")
    return { tone: "flight", title: "Published", text: made > 0 ? `${many(made)}, the next is in progress` : "in progress", ...error };
  if (made === 0) return { tone: "pending", title: "Published" };
  const next = next_retry_at ? { speaksOf: { word: "next attempt", at: next_retry_at } } : {};
  return { tone: "retry", title: "Published", text: many(made), ...next, ...error };
}
