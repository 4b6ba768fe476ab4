import { connect, headers } from "@nats-io/transport-node";
import { expect, test } from "@playwright/test";
import { openConsole } from "./console.ts";
import { seed } from "./seed.ts";
import { variable } from "./stack.ts";

async function grant(user: string, key: string): Promise<void> {
  const answer = await fetch(`${variable("ENTITLEMENT_URL")}/v1/entitlements/grants`, {
    method: "POST",
    headers: { authorization: `Bearer ${variable("KENRI_API_KEY")}`, "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify({ user_id: user, stock_keeping_unit: "lantern", reason: "PURCHASE", purchase_id: "order-7" }),
  });
  expect(answer.status).toBe(200);
}

/** Publishes a message that is not an event. */
async function publishNonsense(text: string): Promise<void> {
  const { host: servers, username: user, password: pass } = new URL(variable("NATS_URL"));
  const nats = await connect({ servers, ...(user ? { user, pass } : {}) });
  const named = headers();
  named.set("from", "a stranger");
  await nats.request("entitlement.events", text, { headers: named, timeout: 5000 });
  await nats.close();
}

test("a request key shows its request, stored response, number of replays and event", async ({ page }) => {
  const [user, key] = [`keyed-${Date.now()}`, `order/${Date.now()}?x=1`];
  for (let sent = 0; sent < 3; sent++) await grant(user, key);
  await openConsole(page, "operator", "idempotency");
  await page.getByRole("textbox", { name: "Idempotency-Key" }).fill(key);
  await page.keyboard.press("Enter");
  const panel = page.getByRole("region", { name: /^Grant by/ });
  await expect(panel).toContainText(`"user_id": "${user}"`);
  await expect(panel.getByText("2", { exact: true })).toBeVisible({ timeout: 15_000 });
  await panel.getByRole("link", { name: "Full journey of its event" }).click();
  await expect(page.getByRole("heading", { name: "Journey" })).toBeVisible();
  // By TRACE_VIEWER_URL of the gateway.
  const trace = (await page.getByRole("button", { name: /^[0-9a-f]{32}/ }).textContent()) ?? "";
  const viewer = `http://127.0.0.1:16686/trace/${trace.slice(0, 32)}`;
  await expect(page.getByRole("link", { name: "Open the trace" })).toHaveAttribute("href", viewer);
  await page.goto(`${variable("GATEWAY_URL")}/admin/idempotency/nobodys`);
  await expect(page.getByText("Unknown request key")).toBeVisible();
});

test("healthy invariants are collapsed into one line, and an operator can run the reconciler with a reason", async ({ page }) => {
  await openConsole(page, "operator", "consistency");
  const holding = page.getByRole("region", { name: /^Notification/ });
  await expect(holding).toContainText("Healthy");
  await expect(page.getByRole("heading", { name: "Feed gaps" })).toBeHidden();
  await holding.getByText(/^\d+ invariants hold$/).click();
  await expect(page.getByRole("heading", { name: "Feed gaps" })).toBeVisible();
  const reconciler = page.getByRole("region", { name: "Reconciler" });
  await expect(reconciler).toContainText("Done");
  await reconciler.getByRole("button", { name: "Run now" }).click();
  const reason = `after the outage ${Date.now()}`;
  await reconciler.getByLabel("Reason").fill(reason);
  await reconciler.getByRole("button", { name: "Run now" }).click();
  await expect(reconciler.getByRole("status")).toHaveText("The reconciler has run.", { timeout: 15_000 });
  await page.getByRole("link", { name: "Audit" }).click();
  await expect(page.getByRole("row").filter({ hasText: reason })).toContainText("Reconciler run requested");
});

test("an operator publishes the events of a user again, and the user has each notification once; a viewer cannot", async ({
  page,
  browser,
}) => {
  const user = `resent-${Date.now()}`;
  await grant(user, user);
  await openConsole(page, "operator", "consistency");
  const panel = page.getByRole("region", { name: "Confirmed events" });
  await expect(panel).toContainText("None missing");
  await panel.getByRole("button", { name: "Resend events" }).click();
  const dialog = page.getByRole("dialog", { name: "Resend events" });
  await dialog.getByLabel("Created since").fill("2026-01-01T00:00:00");
  await dialog.getByLabel("User (optional)").fill(user);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog).toContainText("0 events will be published again");
  await expect(dialog).toContainText("may have been deleted from the outbox");
  await dialog.getByLabel("Only what notification lacks").uncheck();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await expect(dialog).toContainText("1 event will be published again");
  await dialog.getByLabel("Reason").fill("a customer asked");
  await dialog.getByRole("button", { name: "Resend 1" }).click();
  await expect(dialog.getByRole("status")).toContainText("Delivered", { timeout: 15_000 });
  await dialog.getByRole("link", { name: "Open the operation" }).click();
  await expect(page.getByRole("dialog", { name: "Bulk resend of events" })).toContainText("all published");
  const viewer = await (await browser.newContext()).newPage();
  await openConsole(viewer, "viewer", "consistency");
  await expect(viewer.getByRole("region", { name: "Confirmed events" })).toContainText("None missing");
  await expect(viewer.getByRole("button", { name: "Resend events" })).toBeHidden();
  await viewer.close();
});

test("preferences are kept: lists load the chosen number of rows; the configuration shows no secret", async ({ page }) => {
  await openConsole(page, "operator", "settings");
  await page.getByLabel("Rows", { exact: true }).selectOption("25");
  await page.getByLabel("Theme", { exact: true }).selectOption("dark");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  const config = page.getByRole("region", { name: "Configuration of entitlement" });
  await expect(config).toContainText("OUTBOX_MAX_ATTEMPTS");
  await expect(config).toContainText("(default 10)");
  const { password } = new URL(variable("ENTITLEMENT_DATABASE_URL"));
  expect(password.length).toBeGreaterThan(3);
  expect(await page.locator("body").textContent()).not.toContain(password);
  const requested = page.waitForRequest(request => request.url().includes("/entitlement/outbox?") && request.url().includes("limit=25"));
  await page.getByRole("link", { name: "Outbox" }).click();
  await requested;
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("an unsigned message is shown with its bytes, cannot be reprocessed, and can be discarded by an admin", async ({ page }) => {
  const nonsense = `no event at all ${Date.now()}`;
  await publishNonsense(nonsense);
  await openConsole(page, "admin", "");
  const headline = page.getByRole("region", { name: "State of the system" });
  await expect(headline).toContainText(/\d+ messages? could not be read: needs attention/, { timeout: 15_000 });
  await expect(headline).not.toContainText("healthy");
  await expect(page.getByRole("link", { name: /^Failures ?\d+ need attention$/ })).toBeVisible();
  await headline.getByRole("link", { name: "Show the messages" }).click();
  await expect(page.getByRole("link", { name: /^Unreadable messages ?[1-9]\d*$/ })).toHaveAttribute("aria-current", "page");
  const row = page.getByRole("row").filter({ hasText: "unsigned: it has no Kenri-Signature header" }).first();
  await expect(row).toContainText("Not trusted", { timeout: 15_000 });
  await row.getByRole("button").click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByRole("heading", { name: "Why it is not trusted" })).toBeVisible();
  await expect(drawer).toContainText("a stranger");
  await expect(drawer).toContainText("no event at all");
  await expect(drawer.getByRole("button", { name: "Reprocess" })).toHaveCount(0);
  await drawer.getByRole("button", { name: "Discard" }).click();
  await drawer.getByLabel("Reason").fill("a test message");
  await drawer.getByRole("button", { name: "Discard" }).click();
  await expect(drawer.getByRole("status").first()).toContainText("The message was discarded");
  await page.keyboard.press("Escape");
  await expect(page.getByText(nonsense)).toHaveCount(0);
});

test("reprocessing a message signed with an unknown key is refused with the reason", async ({ page }) => {
  const letter = await seed<{ id: string }>("unknown-key");
  try {
    await openConsole(page, "operator", "failures/unreadable");
    await page.goto(`${variable("GATEWAY_URL")}/admin/failures/unreadable/${letter.id}`);
    const drawer = page.getByRole("dialog");
    await expect(drawer).toContainText("add it to EVENT_SIGNING_KEYS of notification");
    await drawer.getByRole("button", { name: "Reprocess" }).click();
    await drawer.getByLabel("Reason").fill("perhaps now");
    await drawer.getByRole("button", { name: "Reprocess" }).click();
    await expect(drawer.getByRole("alert")).toContainText('it is not consumed: signed with the unknown key "lost"');
  } finally {
    await seed("forget", { letters: [letter.id] });
  }
});

test("the published message of an event is loaded on demand, and its bytes are shown to operators only", async ({ page, browser }) => {
  const user = `published-${Date.now()}`;
  await grant(user, crypto.randomUUID());
  await openConsole(page, "operator", `outbox?user_id=${user}`);
  await page.getByRole("row").filter({ hasText: user }).getByRole("button").first().click();
  const message = page.waitForRequest(request => request.url().endsWith("/message"));
  await page.getByRole("dialog").getByRole("button", { name: "As published" }).click();
  await message;
  const fields = page.getByRole("dialog").getByRole("table", { name: "Protobuf fields" });
  await expect(fields.getByRole("row", { name: /user_id/ })).toContainText(user);
  await expect(page.getByRole("dialog").getByRole("region", { name: /\d+ bytes/ })).toContainText("000000");
  const address = page.url();

  const other = await (await browser.newContext()).newPage();
  await openConsole(other, "viewer", "");
  await other.goto(address);
  await other.getByRole("dialog").getByRole("button", { name: "As published" }).click();
  await expect(other.getByRole("dialog").getByRole("row", { name: /user_id/ })).toContainText("•••");
  await expect(other.getByRole("dialog")).toContainText("shown to operators only");
  await other.goto(`${variable("GATEWAY_URL")}/admin/settings`);
  await expect(other.getByText("For operators")).toBeVisible();
  await other.goto(`${variable("GATEWAY_URL")}/admin/consistency`);
  await expect(other.getByText(/^\d+ invariants hold$/)).toHaveCount(3);
  await expect(other.getByRole("button", { name: "Run now" })).toHaveCount(0);
});
