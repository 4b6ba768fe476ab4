import { expect, type Page, test } from "@playwright/test";
import { openConsole } from "./console.ts";
import { grant } from "./people.ts";

async function fillChange(page: Page, item: string, reason: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Item/ }).fill(item);
  await page.getByRole("textbox", { name: /^Reference/ }).fill("ticket-7");
  await page.getByRole("textbox", { name: /^Reason/ }).fill(reason);
}

const keyOf = (page: Page) =>
  page
    .getByRole("dialog")
    .getByRole("button", { name: /^[0-9a-f]{8}-/ })
    .textContent();
const lines = (page: Page) => page.getByRole("region", { name: "History, newest first" }).getByRole("listitem");

test("a manual grant, clicked twice, is applied once, and its journey can be followed", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const user = `hand-${Date.now()}`;
  await openConsole(page, "operator", "entitlements");
  await page.getByRole("textbox", { name: "User", exact: true }).fill(user);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`entitlements\\?user=${user}`));
  await expect(page.getByText("No entitlements for this id")).toBeVisible();

  await page.getByRole("button", { name: "Grant …" }).click();
  const dialog = page.getByRole("dialog");
  const reason = `lost in a crash ${user}`;
  await fillChange(page, "sword", reason);
  await dialog.getByRole("button", { name: "Copy as curl" }).click();
  await expect(dialog.getByRole("status")).toHaveText("Copied as curl");
  const line = (await page.evaluate("navigator.clipboard.readText()")) as string;
  expect(line).toContain("$KENRI_API_KEY");
  expect(line).toContain(((await keyOf(page)) ?? "").slice(0, 36));
  await dialog.getByRole("button", { name: "Grant", exact: true }).dblclick();
  await expect(dialog.getByRole("status")).toContainText("Granted.");
  await expect(dialog).toContainText("active");
  // The result may appear between the two clicks and be smaller than the form. The second click closes nothing and follows no link.
  await page.mouse.click(5, 5);
  await dialog.getByRole("link", { name: "Journey of its event" }).dispatchEvent("click", { detail: 2 });
  await expect(dialog.getByRole("status")).toContainText("Granted.");
  await dialog.getByRole("button", { name: "Close" }).last().click();

  await expect(page.getByRole("region", { name: "Current entitlements" })).toContainText("Active");
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page)).toContainText(reason);

  await page.getByRole("button", { name: "Revoke sword" }).click();
  await fillChange(page, "sword", "a mistake");
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(dialog.getByRole("status")).toContainText("Revoked.");
  await dialog.getByRole("link", { name: "Journey of its event" }).click();
  await expect(page.getByText("Revoked manually")).toBeVisible();

  await page.getByRole("link", { name: "Entitlements" }).last().click();
  await expect(lines(page)).toHaveCount(2);
  await page.getByRole("link", { name: /^At that time, version 1/ }).click();
  await expect(page.getByRole("region", { name: "Entitlements at that time" })).toContainText("Active");
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page.getByRole("region", { name: "Current entitlements" })).toContainText("Revoked");
});

test("after a lost response a retry with the same request key gets it, and another change gets another key", async ({ page }) => {
  const user = `lost-${Date.now()}`;
  await openConsole(page, "operator", `entitlements?user=${user}`);
  await page.route("**/grants", async route => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Grant …" }).click();
  const dialog = page.getByRole("dialog");
  const first = await keyOf(page);
  await fillChange(page, "sword", "why not");
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("the change may or may not have been applied");
  expect(await keyOf(page)).toBe(first);
  await page.unroute("**/grants");
  await dialog.getByRole("button", { name: "Resend with the same key" }).click();
  await expect(dialog.getByRole("status")).toContainText("nothing was changed twice");
  await page.keyboard.press("Escape");
  await expect(lines(page)).toHaveCount(1);

  await page.getByRole("button", { name: "Grant …" }).click();
  const second = await keyOf(page);
  expect(second).not.toBe(first);
  await fillChange(page, "sword", "once more");
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("Nothing was changed.");
  await fillChange(page, "shield", "once more");
  expect(await keyOf(page)).not.toBe(second);
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await expect(dialog.getByRole("status")).toContainText("Granted.");
});

test("a change is made by keyboard alone, and the focus returns to its opener", async ({ page }) => {
  const user = `keys-${Date.now()}`;
  await openConsole(page, "operator", "");
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await expect(page.getByRole("heading", { name: "Inbox", level: 1 })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await expect(page.getByRole("heading", { name: "Entitlements", level: 1 })).toBeVisible();
  await page.getByRole("textbox", { name: "User", exact: true }).focus();
  await page.keyboard.type(`${user}\n`);
  const opener = page.getByRole("button", { name: "Grant …" });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: /^Item/ })).toBeFocused();
  for (const text of ["sword", "ticket-7", "why not"]) {
    await page.keyboard.type(text);
    await page.keyboard.press("Tab");
  }
  // Past the request key, which is a button.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("status")).toContainText("Granted.");
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
});

test("an inbox shows what the user sees, refreshes itself, and marks nothing as read", async ({ page }) => {
  const user = `inbox-${Date.now()}`;
  await grant(user, "sword");
  await openConsole(page, "operator", `inbox?user=${user}`);
  const rows = page.getByRole("list", { name: "Notifications" }).getByRole("listitem");
  await expect(rows).toHaveText([/Unread: You were granted sword\./], { timeout: 20_000 });
  await grant(user, "shield");
  await expect(rows).toHaveCount(2, { timeout: 20_000 });
  await expect(rows.first()).toContainText("You were granted shield.");
  await page.reload();
  await expect(page.getByRole("button", { name: /^Unread ?2$/ })).toBeVisible();
  await page.getByRole("link", { name: "Journey: You were granted shield." }).click();
  await expect(page.getByRole("heading", { name: "Journey", level: 1 })).toBeVisible();
});

test("a viewer sees both pages masked and without actions", async ({ page }) => {
  const user = `looked-${Date.now()}`;
  await grant(user, "sword");
  await openConsole(page, "viewer", `entitlements?user=${user}`);
  await expect(lines(page)).toHaveCount(1);
  await expect(page.getByRole("button", { name: /grant|revoke/i })).toHaveCount(0);
  await page.getByRole("main").getByRole("link", { name: "Inbox" }).click();
  await expect(page.getByText("You were granted •••.")).toBeVisible({ timeout: 20_000 });
});

test("a long list of items is loaded page by page, and says that there are more", async ({ page }) => {
  const user = `collector-${Date.now()}`;
  await Promise.all(Array.from({ length: 103 }, (_, n) => grant(user, `item-${String(n).padStart(3, "0")}`)));
  await openConsole(page, "operator", `entitlements?user=${user}`);
  const panel = page.getByRole("region", { name: "Current entitlements" });
  await expect(panel.getByText("The first 100 items, by name. There are more.")).toBeVisible();
  await expect(panel.getByRole("row")).toHaveCount(101);
  await panel.getByRole("button", { name: "More items" }).click();
  await expect(panel.getByRole("row")).toHaveCount(104);
  await expect(panel.getByText("item-102")).toBeVisible();
  await expect(panel.getByRole("button", { name: "More items" })).toHaveCount(0);
});
