// The start page. No library: it lists, streams and marks read.
const element = id => document.getElementById(id);
const show = (id, isShown) => {
  element(id).hidden = !isShown;
};

async function call(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { "x-kenri-csrf": "1", ...options.headers } });
  if (response.ok) return response.status === 204 ? undefined : response.json();
  const problem = await response.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail ?? `the server answered ${response.status}`), { status: response.status });
}

const sentences = {
  EntitlementGranted: sku => `You were granted ${sku}.`,
  EntitlementRevoked: sku => `${sku} was taken back.`,
};

const known = new Map();
let newest = 0;
let unread = 0;

function tell(notification) {
  if (known.has(notification.notification_id)) return;
  const line = document.createElement("li");
  const text = document.createElement("span");
  const say = sentences[notification.type] ?? (() => notification.type);
  text.textContent = say(notification.payload.stock_keeping_unit);
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

function listen(position) {
  const stream = new EventSource(`/v1/me/notifications/stream?after=${position}`);
  const say = text => {
    element("connection").textContent = text;
  };
  stream.addEventListener("ready", () => say("live"));
  stream.addEventListener("notification", event => {
    tell(JSON.parse(event.data));
    unread++;
    showUnread();
  });
  stream.addEventListener("end", () => {
    stream.close();
    location.reload();
  });
  stream.addEventListener("error", () => {
    say("connecting again …");
    // A refusal ends an EventSource for good; a lost connection does not.
    if (stream.readyState === EventSource.CLOSED) setTimeout(comeBack, 2000 + Math.random() * 3000);
  });
}

/** After the stream was refused: perhaps nobody is signed in any more, perhaps a gateway is about to stop. */
async function comeBack() {
  const isGone = await call("/v1/me").then(
    () => false,
    error => error.status === 401 || error.status === 403,
  );
  if (isGone) location.reload();
  else listen(newest);
}

function trouble(error) {
  element("trouble").textContent = error.message;
  show("trouble", true);
}

async function start() {
  const me = await call("/v1/me").catch(error => {
    if (error.status === 401) return undefined;
    throw error;
  });
  if (!me) {
    // Who signed out on purpose is asked for a password again, and may be somebody else.
    if (sessionStorage.getItem("signed-out")) element("sign-in").href = "/login?prompt=login";
    show("signed-out", true);
    return;
  }
  sessionStorage.removeItem("signed-out");
  element("name").textContent = me.display_name ?? me.email ?? "Signed in";
  element("email").textContent = me.email ?? "";
  element("user-id").textContent = me.user_id;
  element("roles").textContent = me.roles.join(", ");
  show("signed-in", true);
  const list = await call("/v1/me/notifications?limit=50");
  unread = list.unread;
  for (const notification of list.notifications.toReversed()) tell(notification);
  show("inbox", true);
  showUnread();
  listen(list.position);
}

element("sign-out").addEventListener("click", async () => {
  await call("/logout", { method: "POST" }).catch(trouble);
  sessionStorage.setItem("signed-out", "yes");
  location.assign("/");
});

element("mark-read").addEventListener("click", async () => {
  try {
    const marked = await call("/v1/me/notifications/read", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ up_to: newest }),
    });
    unread = marked.unread;
    for (const line of known.values()) line.classList.remove("unread");
    showUnread();
  } catch (error) {
    trouble(error);
  }
});

start().catch(trouble);
