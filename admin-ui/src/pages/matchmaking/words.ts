import type { Match, MatchState, TicketStatus } from "../../api/matchmaking_answers.ts";
import type { Tone } from "../../parts/row_kinds.ts";

interface Look {
  readonly tone: Tone;
  readonly word: string;
}

const tickets: Record<TicketStatus, Look> = {
  QUEUED: { tone: "flight", word: "Queued" },
  MATCHED: { tone: "done", word: "Matched" },
  CANCELLED: { tone: "pending", word: "Cancelled" },
  EXPIRED: { tone: "stale", word: "Expired" },
  INVALID: { tone: "failed", word: "Invalid" },
};

const matches: Record<MatchState, Look> = {
  PAIRED: { tone: "pending", word: "Paired" },
  PUBLISHED: { tone: "flight", word: "Published" },
  ANNOUNCED: { tone: "done", word: "Announced" },
  VOID: { tone: "failed", word: "Void" },
};

const unknown = (state: string): Look => ({ tone: "failed", word: `Unknown state ${state}` });

export const ticketLook = ({ status }: { readonly status: string }): Look => tickets[status as TicketStatus] ?? unknown(status);

// Milliseconds. Both players should know of their match long before.
const overdue = 30_000;

/** A match that nobody was told of after some time, or whose publishing failed, looks like trouble. */
export function matchLook({ state, paired_at, why }: Pick<Match, "state" | "paired_at" | "why">, now: number): Look {
  const look = matches[state] ?? unknown(state);
  const isOpen = state === "PAIRED" || state === "PUBLISHED";
  const isLate = isOpen && paired_at !== null && now - Date.parse(paired_at) > overdue;
  return isLate || (state === "PAIRED" && why !== null) ? { ...look, tone: "retry" } : look;
}
