import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { openConsole, visit } from "./console.ts";
import { signInAs } from "./people.ts";
import { variable } from "./stack.ts";

const gateway = variable("GATEWAY_URL");

/** A user who is signed in in another browser. */
async function signedInElsewhere(context: BrowserContext, user: string) {
  const page = await context.newPage();
  await signInAs(page, user);
  const { user_id: id } = (await (await page.request.get(`${gateway}/v1/me`)).json()) as { user_id: string };
  return { id, status: async () => (await page.request.get(`${gateway}/v1/me`)).status() };
}

async function giveReason(page: Page, reason: string, button: string): Promise<void> {
  await page.getByRole("dialog").getByLabel("Reason").fill(reason);
  await page.getByRole("dialog").getByRole("button", { name: button, exact: true }).click();
}

const find = (page: Page, text: string) =>
  page
    .getByRole("textbox", { name: "Find by any id" })
    .fill(text)
    .then(() => page.keyboard.press("Enter"));

test("an administrator finds a user by e-mail address, suspends, restores and signs them out; it takes effect within seconds", async ({
  page,
  browser,
}) => {
  test.setTimeout(60_000);
  const alice = await signedInElsewhere(await browser.newContext(), "alice");
  await openConsole(page, "admin");
  await find(page, "Alice@example.test");
  const drawer = page.getByRole("dialog", { name: "Alice Archer" });
  await expect(drawer).toContainText("alice@example.test verified");
  await expect(page).toHaveURL(new RegExp(`/users/${alice.id}`));
  await expect(drawer).toContainText(/\d open\. If unused, the last one ends/);

  const reason = `a chargeback ${Date.now()}`;
  try {
    await drawer.getByRole("button", { name: "Suspend …" }).click();
    await giveReason(page, reason, "Suspend");
    await expect(drawer.getByRole("status")).toContainText("Suspended.");
    await expect.poll(alice.status, { timeout: 5_000 }).toBe(403);
    await expect(drawer.getByRole("list", { name: "Account audit log" }).getByRole("listitem").first()).toContainText(
      new RegExp(`user\\.suspend.*Ada Admin \\(you\\).*${reason}.*ACTIVE → SUSPENDED`),
    );
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Suspended" }).click();
    await page.getByRole("button", { name: "Suspended: open Alice Archer" }).click();
  } finally {
    await drawer.getByRole("button", { name: "Restore …" }).click();
    await giveReason(page, "paid after all", "Restore");
  }
  await expect(drawer.getByRole("status")).toContainText("Restored.");
  await expect.poll(alice.status, { timeout: 5_000 }).toBe(200);

  await drawer.getByRole("button", { name: "Sign out everywhere …" }).click();
  await giveReason(page, "a lost phone", "Sign out everywhere");
  await expect(drawer.getByRole("status")).toContainText(/Sessions ended: [1-9]/);
  await expect(drawer).toContainText("Not signed in anywhere.");
  expect(await alice.status()).toBe(401);
});

test("roles are set and removed; a forbidden change of the own account is refused with the reason", async ({ page, browser }) => {
  const bob = await signedInElsewhere(await browser.newContext(), "bob");
  await openConsole(page, "admin");
  await visit(page, `users/${bob.id}`);
  const drawer = page.getByRole("dialog", { name: "Bob Builder" });
  for (const isGiven of [true, false]) {
    await drawer.getByRole("button", { name: "Roles …" }).click();
    await drawer.getByRole("checkbox", { name: /^VIEWER/ }).setChecked(isGiven);
    await giveReason(page, "helps out", "Set roles");
    await expect(drawer.getByRole("status")).toContainText("The roles are set.");
    await expect(drawer).toContainText(isGiven ? "roles: USER → USER, VIEWER" : "roles: USER, VIEWER → USER");
  }

  const me = (await (await page.request.get(`${gateway}/v1/me`)).json()) as { user_id: string };
  await page.keyboard.press("Escape");
  await find(page, me.user_id.toUpperCase());
  const own = page.getByRole("dialog", { name: /^Ada Admin/ });
  await expect(own).toContainText("This is your own account");
  await expect(own.getByRole("button", { name: "Suspend …" })).toHaveCount(0);
  await own.getByRole("button", { name: "Roles …" }).click();
  await own.getByRole("checkbox", { name: /^ADMIN/ }).uncheck();
  await giveReason(page, "why not", "Set roles");
  await expect(own.getByRole("alert")).toContainText("Nothing was changed.");
  await expect(own.getByRole("alert")).toContainText("OWN_ACCOUNT");
  await expect(own.getByRole("alert")).toContainText("ask another ADMIN");
  await expect(own.getByLabel("Reason")).toHaveValue("why not");
});

test("a viewer finds and reads users by keyboard alone and sees no action", async ({ page, browser }) => {
  const bob = await signedInElsewhere(await browser.newContext(), "bob");
  await openConsole(page, "viewer", "users?search=bob");
  await page.getByRole("button", { name: "Active: open Bob Builder" }).press("Enter");
  const drawer = page.getByRole("dialog", { name: "Bob Builder" });
  await expect(drawer.getByRole("list", { name: "Account audit log" })).toContainText("user.create");
  await expect(drawer.getByRole("button", { name: /…$/ })).toHaveCount(0);
  await drawer.getByRole("link", { name: "Entitlements" }).click();
  await expect(page).toHaveURL(new RegExp(`entitlements\\?user=${bob.id}`));
  await expect(drawer).toHaveCount(0); // the address changes first, and an open drawer captures the keys

  await page.keyboard.press("g");
  await page.keyboard.press("u");
  const field = page.getByRole("textbox", { name: "Find", exact: true });
  await field.fill("nobody begins so");
  await page.keyboard.press("Enter");
  await expect(page.getByText("No user found")).toBeVisible();
  await field.fill(bob.id);
  await page.keyboard.press("Enter");
  await expect(drawer).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/admin\/users/);
  await page.goto(`${gateway}/admin/users/01890000-0000-7000-8000-00000000dead`);
  await expect(page.getByRole("alert")).toContainText("there is no such user");
});

test("operators see the configuration of gateway and account in the settings", async ({ page }) => {
  await openConsole(page, "operator", "settings");
  for (const [system, variable] of [
    ["gateway", "SESSION_IDLE"],
    ["account", "ACCOUNT_PORT"],
  ] as const) {
    const panel = page.getByRole("region", { name: `Configuration of ${system}` });
    await expect(panel).toContainText(variable);
    await expect(panel).not.toContainText("postgres://");
  }
});

test("an administrator erases a user after typing the end of the id, and sees what each system did", async ({ page, browser }) => {
  test.setTimeout(60_000);
  const bob = await signedInElsewhere(await browser.newContext(), "bob");
  await openConsole(page, "admin");
  await page.goto(`${gateway}/admin/users/${bob.id}`);
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Erase …" }).click();
  await expect(drawer).toContainText("This cannot be undone");
  await drawer.getByLabel("Reason").fill("asked by mail");
  await expect(drawer.getByRole("button", { name: "Erase for good" })).toBeDisabled();
  await drawer.getByLabel("to confirm").fill(bob.id.slice(-12));
  await drawer.getByRole("button", { name: "Erase for good" }).click();
  await expect(drawer).toContainText("This user is erased.", { timeout: 40_000 });
  await expect(drawer).not.toContainText("bob@example.test");
  await drawer.getByRole("link", { name: "What is kept of the account" }).click();
  await expect(drawer).toContainText(/notification\s*done/);
  await expect.poll(bob.status).toBe(401);
});
