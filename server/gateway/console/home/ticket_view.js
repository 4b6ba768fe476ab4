// How a ticket looks on the start page.
import { element, shortId, show, write } from "./page.js";

export const isLive = ticket => ticket?.status === "QUEUED";
export const isMatched = ticket => ticket?.status === "MATCHED";

/** "90 s", "2 min 5 s". */
function inWords(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  return whole < 120 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** How long a search takes at most. NaN for a damaged ticket, which may lack its times. */
const secondsOf = ({ joined_at, expires_at }) => (Date.parse(expires_at) - Date.parse(joined_at)) / 1000;

const sentences = {
  QUEUED: ({ mode, wasMatched }) => `${wasMatched ? "The match did not take place. " : ""}Looking for an opponent in ${mode}\u00a0…`,
  MATCHED: ({ peer_user_ids }) => `Match found: you play against ${peer_user_ids.map(shortId).join(", ")}.`,
  EXPIRED: ticket => (Number.isNaN(secondsOf(ticket)) ? "Nobody was found in time." : `Nobody was found in ${inWords(secondsOf(ticket))}.`),
  CANCELLED: () => "The search was cancelled.",
  INVALID: ({ why }) => `The search has ended: ${why ?? "the ticket is not valid"}.`,
};

const nextSteps = { MATCHED: "Find another opponent", EXPIRED: "Try again" };

/** Shows the ticket, or only the form. Numbers that count are not in the live region. */
export function showTicket(ticket) {
  const isWaiting = isLive(ticket);
  write("ticket-state", ticket ? sentences[ticket.status](ticket) : "");
  show("waiting", isWaiting);
  show("match", isMatched(ticket));
  show("join", !isWaiting);
  write("find", nextSteps[ticket?.status] ?? "Find an opponent");
  if (isWaiting) showTimes(ticket);
  if (!isMatched(ticket)) return;
  write("match-mode", ticket.mode);
  write("match-opponent", ticket.peer_user_ids.join(", "));
  write("match-id", ticket.match_id);
  write("match-session", ticket.session);
}

/** By the server's times and the time since they were read: the clock of this machine may be wrong. */
export function showTimes(ticket) {
  const waited = ticket.waited_seconds + (performance.now() - ticket.readAt) / 1000;
  const most = secondsOf(ticket);
  if (Number.isNaN(most)) return;
  const { ahead, estimated_wait_seconds: estimate } = ticket;
  element("wait-progress").max = most;
  element("wait-progress").value = Math.min(most, waited);
  write("waited", inWords(waited));
  write("expires", inWords(most - waited));
  show("ahead-fact", ahead !== null);
  write("ahead", ahead === 0 ? "nobody" : String(ahead));
  show("estimate-fact", estimate !== null);
  if (estimate !== null) write("estimate", `about ${inWords(Math.ceil(estimate))}`);
}

/** How busy a queue is. */
export function queueFacts({ waiting, estimated_wait_seconds: estimate }) {
  const now = waiting === 0 ? "Nobody waits in this queue now." : waiting === 1 ? "1 player waits." : `${waiting} players wait.`;
  return estimate === null ? now : `${now} A match usually takes about ${inWords(Math.ceil(estimate))}.`;
}
