/** A notification by its type and payload. Members of the payload may be masked. */
export interface Notice {
  readonly type: string;
  readonly payload: unknown;
}

/** The facts of a match notice. */
export interface MatchNotice {
  readonly matchId: string;
  readonly mode: string;
  readonly peer: string;
  readonly joinedAt: string;
  readonly pairedAt: string;
}

type Facts = Readonly<Record<string, unknown>>;

const isFacts = (payload: unknown): payload is Facts => typeof payload === "object" && payload !== null;
const textIn = (facts: Facts, member: string, instead: string) => String(facts[member] ?? instead);

/** The facts of a match; undefined for any other notification. */
export function matchIn({ type, payload }: Notice): MatchNotice | undefined {
  if (type !== "MatchFound" || !isFacts(payload)) return undefined;
  const peers = Array.isArray(payload.peer_user_ids) ? payload.peer_user_ids.join(", ") : "";
  return {
    matchId: textIn(payload, "match_id", "unknown"),
    mode: textIn(payload, "mode", "an unknown mode"),
    peer: peers || "an unknown player",
    joinedAt: textIn(payload, "joined_at", ""),
    pairedAt: textIn(payload, "occurred_at", ""),
  };
}

/** What the notification says to its user, in a sentence. */
export function noticeText(notice: Notice): string {
  const match = matchIn(notice);
  if (match) return `Match in ${match.mode} against ${match.peer}.`;
  const item = textIn(isFacts(notice.payload) ? notice.payload : {}, "stock_keeping_unit", "something");
  if (notice.type === "EntitlementGranted") return `You were granted ${item}.`;
  if (notice.type === "EntitlementRevoked") return `${item} was revoked.`;
  return notice.type;
}
