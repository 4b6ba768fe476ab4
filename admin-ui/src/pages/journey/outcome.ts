import { meaningOf, type State } from "../../parts/row_kinds.ts";
import { kindOf } from "../../systems.ts";
import type { Chain } from "./steps.ts";

/** The state of a chain in a word. The worst part decides. */
export function outcomeOf({ event, notifications, letters = [], unasked = [] }: Chain): Pick<State, "tone" | "word"> {
  const meanings = [
    ...(event?.status ? [meaningOf(kindOf("outbox"), { status: event.status, attempts: event.attempt_count ?? 0 })] : []),
    ...notifications.map(({ status, attempt_count }) => meaningOf(kindOf("notifications"), { status, attempts: attempt_count })),
  ];
  // An untrusted message with the id of a consumed event does no harm.
  const isOpen = ({ reprocessed_at, untrusted }: (typeof letters)[number]) =>
    !reprocessed_at && (untrusted === null || notifications.length === 0);
  if (meanings.includes("failed") || letters.some(isOpen)) return { tone: "failed", word: "Needs attention" };
  if (event?.actions.some(({ action }) => action === "outbox.discard")) return { tone: "failed", word: "Discarded" };
  if (meanings.includes("retrying")) return { tone: "retry", word: "Retrying" };
  if (unasked.length > 0) return { tone: "pending", word: "Partly known" };
  if (notifications.length > 0 && notifications.every(({ status }) => status === "SENT"))
    return notifications.some(({ stale }) => stale) ? { tone: "stale", word: "Delivered, stale" } : { tone: "done", word: "Delivered" };
  if (event && event.status === null && notifications.length === 0) return { tone: "pending", word: "Only in the audit log" };
  if (event?.missing_at) return { tone: "failed", word: "Missing: needs a resend" };
  if (event?.confirmed_at && notifications.length === 0) return { tone: "pending", word: "Consumed, deleted after retention" };
  return { tone: "flight", word: "In progress" };
}
