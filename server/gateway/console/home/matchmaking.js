// The card "Find an opponent": joins a queue, waits, and shows the match.
import { call, element, isSignedOut, post, show, write } from "./page.js";
import { isLive, isMatched, queueFacts, showTicket, showTimes } from "./ticket_view.js";

// The match arrives by the stream. The ticket is read now and then, too, because a notification may be late and an expiry sends none.
const readEvery = 2000;
// A match can become void until its players are told. Then the ticket waits again, or has ended.
const voidWithin = 30_000;
const shownTicket = "ticket";

/** The matches that a notification has told of. They stay. */
const told = new Set();
let queues = [];
/** The ticket that the card shows. */
let ticket;
/** What the last click asked for. A repetition sends the same idempotency_key and so gets the same ticket. */
let request;
let isBusy = false;
let reading;
let counting;

/** Loads the queues, and the ticket that this user has already. */
export async function startMatchmaking() {
  show("matchmaking", true);
  try {
    const [known, own] = await Promise.all([call("/v1/matchmaking/queues"), call("/v1/matchmaking/tickets")]);
    const shown = sessionStorage.getItem(shownTicket);
    const found = own.tickets.find(isLive) ?? own.tickets.find(({ ticket_id }) => ticket_id === shown);
    element("rating").value = found?.attributes.rating ?? "";
    offer(known.queues, found?.mode);
    become(found);
    tell("");
    show("matchmaking-retry", false);
  } catch (error) {
    tell(`${adviceFor(error)} The rest of this page works.`);
    show("matchmaking-retry", true);
  }
}

/** A notification from before the page was loaded. */
export const matchTold = ({ match_id }) => told.add(match_id);

/** A new notification about a match. Another ticket than the shown one may be of another tab. */
export function matchFound({ ticket_id, match_id, mode, peer_user_ids, session }) {
  told.add(match_id);
  if (isLive(ticket) && ticket.ticket_id !== ticket_id) return;
  tell("");
  become({ ...ticket, ticket_id, mode, status: "MATCHED", match_id, peer_user_ids, session });
}

function offer(known, chosen = element("queue").value) {
  queues = known;
  element("queue").replaceChildren(...queues.map(({ mode }) => new Option(mode, mode, false, mode === chosen)));
  showQueue();
}

function showQueue() {
  const queue = queues.find(({ mode }) => mode === element("queue").value);
  const needsRating = queue?.strategy === "rating";
  show("rating-field", needsRating);
  element("rating").disabled = !needsRating;
  write("queue-facts", queue ? queueFacts(queue) : "There is no queue now.");
}

/** Whether the ticket may still change. */
const isOpen = () =>
  isLive(ticket) || (isMatched(ticket) && !told.has(ticket.match_id) && performance.now() - ticket.matchedAt < voidWithin);

/** Shows this ticket from now on. */
function become(next) {
  clearTimeout(reading);
  clearInterval(counting);
  const before = ticket?.ticket_id === next?.ticket_id ? ticket : undefined;
  const hasEnded = isLive(ticket) && !isLive(next);
  const readAt = performance.now();
  ticket = next && {
    ...next,
    readAt,
    matchedAt: before?.match_id === next.match_id ? before?.matchedAt : readAt,
    wasMatched: isMatched(before) || before?.wasMatched,
    request: before ? before.request : request,
  };
  if (ticket) sessionStorage.setItem(shownTicket, ticket.ticket_id);
  // The request for the next ticket may be on its way while a matched one is read again.
  if (!isLive(ticket) && (!before || isLive(before))) request = undefined;
  keepFocus(() => showTicket(ticket));
  if (isLive(ticket)) counting = setInterval(() => showTimes(ticket), 500);
  if (isOpen()) reading = setTimeout(read, readEvery);
  if (hasEnded)
    call("/v1/matchmaking/queues").then(
      known => offer(known.queues),
      () => {},
    );
}

/** If the focused control disappears, the focus goes to Cancel, or to the sentence that says how the search ended. */
function keepFocus(change) {
  const focused = document.activeElement;
  change();
  if (element("matchmaking").contains(focused) && focused.closest("[hidden]")) element(isLive(ticket) ? "cancel" : "ticket-state").focus();
}

async function read() {
  const { ticket_id } = ticket;
  const isStillShown = () => isOpen() && ticket.ticket_id === ticket_id;
  if (!isOpen()) return;
  try {
    const found = await call(`/v1/matchmaking/tickets/${ticket_id}`);
    if (!isStillShown()) return;
    // Beside a match there is only what the last click brought.
    if (isLive(ticket)) tell("");
    become(found);
  } catch (error) {
    if (!isStillShown()) return;
    if (isGone(error)) return lose();
    // Another user may have signed in, in another tab.
    if (isSignedOut(error) || error.status === 403) return location.reload();
    if (isLive(ticket)) tell("Matchmaking does not answer now. You may still be in the queue. Trying again …");
    reading = setTimeout(read, Math.max(readEvery, (error.retryAfter ?? 0) * 1000));
  }
}

const isGone = ({ code }) => code === "TICKET_LOST" || code === "TICKET_NOT_FOUND";

/** The store lost the ticket. The next click repeats the request with its key. */
function lose() {
  const lost = ticket.request;
  become(undefined);
  request = lost;
  tell("Matchmaking lost your place in the queue. Join again.");
}

async function join() {
  const mode = element("queue").value;
  const attributes = element("rating").disabled ? {} : { rating: element("rating").valueAsNumber };
  const isRepetition = request?.mode === mode && request.attributes.rating === attributes.rating;
  if (!isRepetition) request = { mode, attributes, idempotency_key: crypto.randomUUID() };
  const { idempotency_key } = request;
  try {
    const joined = await post(`/v1/matchmaking/queues/${encodeURIComponent(mode)}/tickets`, { party_size: 1, attributes, idempotency_key });
    // The match may have arrived by the stream before this response.
    if (ticket?.ticket_id !== joined.ticket_id || isLive(ticket)) become(joined);
  } catch (error) {
    if (error.code === "ALREADY_QUEUED") return become(await call(`/v1/matchmaking/tickets/${error.problem.ticket_id}`));
    // The outcome of these is unknown, or the server asks to try later. Any other refusal needs another request.
    if (error.status > 0 && error.status < 500 && error.status !== 429) request = undefined;
    throw error;
  }
}

async function cancel() {
  try {
    become(await call(`/v1/matchmaking/tickets/${ticket.ticket_id}`, { method: "DELETE" }));
  } catch (error) {
    if (isGone(error)) return lose();
    // The match was faster.
    if (error.code !== "ALREADY_MATCHED") throw error;
    clearTimeout(reading);
    await read();
  }
}

function adviceFor({ status, code, message, retryAfter }) {
  if (status === 0) return "The server cannot be reached. Check your connection and try again.";
  if (status === 429) return `That was too often. Try again in ${retryAfter || 1} s.`;
  if (status >= 500) return "Matchmaking is not available now. Try again in a moment.";
  if (code === "MODE_NOT_FOUND") return "This queue no longer exists. Reload the page.";
  return `That did not work: ${message}.`;
}

function tell(text) {
  write("matchmaking-trouble", text);
  show("matchmaking-trouble", text !== "");
}

/** One action at a time, with its error beside it. */
async function act(action) {
  if (isBusy) return;
  isBusy = true;
  element("matchmaking").setAttribute("aria-busy", "true");
  tell("");
  try {
    await action();
  } catch (error) {
    if (isSignedOut(error)) return location.reload();
    tell(adviceFor(error));
  } finally {
    isBusy = false;
    element("matchmaking").removeAttribute("aria-busy");
  }
}

element("queue").addEventListener("change", showQueue);
element("join").addEventListener("submit", event => {
  event.preventDefault();
  act(join);
});
element("cancel").addEventListener("click", () => act(cancel));
element("matchmaking-retry").addEventListener("click", () => act(startMatchmaking));
