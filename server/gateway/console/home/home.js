// The start page. No library.
import { matchFound, matchTold, startMatchmaking } from "./matchmaking.js";
import { startNotifications } from "./notifications.js";
import { call, element, show, trouble } from "./page.js";

async function start() {
  const me = await call("/v1/me").catch(error => {
    if (error.status === 401) return undefined;
    throw error;
  });
  if (!me) {
    // After a sign-out the provider asks for the password again: the next person may be another one.
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
  // Each part works without the other.
  startMatchmaking();
  await startNotifications(({ type, payload }, isNew) => {
    if (type === "MatchFound") (isNew ? matchFound : matchTold)(payload);
  });
}

element("sign-out").addEventListener("click", async () => {
  await call("/logout", { method: "POST" }).catch(trouble);
  sessionStorage.setItem("signed-out", "yes");
  location.assign("/");
});

start().catch(trouble);
