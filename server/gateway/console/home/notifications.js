// The list of notifications, live.
import { call, element, isSignedOut, post, shortId, show, trouble } from "./page.js";

const sentences = {
  EntitlementGranted: ({ stock_keeping_unit }) => `You were granted ${stock_keeping_unit}.`,
  EntitlementRevoked: ({ stock_keeping_unit }) => `${stock_keeping_unit} was revoked.`,
  MatchFound: ({ mode, peer_user_ids }) => `Match found in ${mode} against ${peer_user_ids.map(shortId).join(", ")}.`,
};

const known = new Map();
let newest = 0;
let unread = 0;

function add(notification) {
  if (known.has(notification.notification_id)) return;
  const line = document.createElement("li");
  const text = document.createElement("span");
  const say = sentences[notification.type] ?? (() => notification.type);
  text.textContent = say(notification.payload);
  const time = document.createElement("time");
  time.dateTime = notification.sent_at;
  time.textContent = new Date(notification.sent_at).toLocaleString();
  line.append(text, time);
  line.classList.toggle("unread", notification.read_at === null);
  known.set(notification.notification_id, line);
  const below = notification.position < newest;
  newest = Math.max(newest, notification.position);
  if (below) element("notifications").append(line);
  else element("notifications").prepend(line);
}

function showUnread() {
  element("unread").textContent = unread;
  show("unread", unread > 0);
  show("mark-read", unread > 0);
  show("nothing", known.size === 0);
}

function listen(position, arrived) {
  const stream = new EventSource(`/v1/me/notifications/stream?after=${position}`);
  const say = text => {
    element("connection").textContent = text;
  };
  stream.addEventListener("ready", () => say("live"));
  stream.addEventListener("notification", event => {
    const notification = JSON.parse(event.data);
    add(notification);
    unread++;
    showUnread();
    arrived(notification, true);
  });
  // The session has ended; or positions went back, and the list is another one.
  for (const name of ["end", "reset"])
    stream.addEventListener(name, () => {
      stream.close();
      location.reload();
    });
  stream.addEventListener("error", () => {
    say("reconnecting …");
    // A refusal ends an EventSource for good; a lost connection does not.
    if (stream.readyState === EventSource.CLOSED) setTimeout(reconnect, 2000 + Math.random() * 3000, arrived);
  });
}

/** After the stream was refused: the session may have ended, or the gateway may be about to stop. */
async function reconnect(arrived) {
  const isGone = await call("/v1/me").then(() => false, isSignedOut);
  if (isGone) location.reload();
  else listen(newest, arrived);
}

/** Lists the notifications. `arrived` is called for each, and told whether it is new. */
export async function startNotifications(arrived) {
  const list = await call("/v1/me/notifications?limit=50");
  unread = list.unread;
  for (const notification of list.notifications.toReversed()) {
    add(notification);
    arrived(notification, false);
  }
  show("inbox", true);
  showUnread();
  listen(list.position, arrived);
}

element("mark-read").addEventListener("click", async () => {
  try {
    const marked = await post("/v1/me/notifications/read", { up_to: newest });
    unread = marked.unread;
    for (const line of known.values()) line.classList.remove("unread");
    showUnread();
  } catch (error) {
    trouble(error);
  }
});
