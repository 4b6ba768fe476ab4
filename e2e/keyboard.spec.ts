import { expect, type Locator, type Page, test } from "@playwright/test";
import { addressOf, openConsole } from "./console.ts";
import { failFor, grant } from "./people.ts";

/** Presses Tab until the target has the focus. The focus must be visible at each step. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate(element => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Tab");
    expect(await page.evaluate(focusShows), "the focus shows").toBe(true);
  }
  throw new Error("Tab does not lead there");
}

const focusShows = `(() => {
  const one = document.activeElement;
  if (one === null || one === document.body || one.hasAttribute("data-base-ui-focus-guard")) return true;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
})()`;

const inDialog = `document.activeElement.closest("[role=dialog]") !== null || document.activeElement.hasAttribute("data-base-ui-focus-guard")`;

/** Tabs through the whole dialog: the focus never leaves it. */
async function isTrapped(page: Page): Promise<void> {
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press("Tab");
    // At the end of a round the focus is outside for a moment.
    await expect.poll(() => page.evaluate(inDialog)).toBe(true);
  }
}

test.afterEach(() => failFor("NOTIFICATION", ""));

test("a failure is found, requeued and looked up in the audit log by keyboard alone", async ({ page }) => {
  test.setTimeout(90_000);
  const prefix = `keyed-${Date.now()}`;
  await failFor("NOTIFICATION", prefix);
  await grant(`${prefix}-1`, "sword");
  const reason = `the channel is well again ${prefix}`;

  await page.goto(addressOf(""));
  await expect(page.getByLabel("User", { exact: true })).toBeFocused();
  await page.keyboard.type("operator");
  await page.keyboard.press("Tab");
  await page.keyboard.type("operator");
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  const why = page.getByRole("link", { name: "Show the causes" }).first();
  await expect(why).toBeVisible({ timeout: 30_000 });
  await tabTo(page, why);
  await page.keyboard.press("Enter");
  const group = page.getByRole("region", { name: "Notifications" }).getByRole("listitem").filter({ hasText: "made to fail" });
  const requeue = group.getByRole("button", { name: "Requeue" });
  await expect(requeue).toBeVisible({ timeout: 20_000 });
  await failFor("NOTIFICATION", "");

  await tabTo(page, requeue);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("Reason")).toBeFocused();
  await isTrapped(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(requeue).toBeFocused();

  await page.keyboard.press("Enter");
  await expect(dialog.getByLabel("Reason")).toBeFocused();
  await page.keyboard.type(reason);
  await tabTo(page, dialog.getByRole("button", { name: "Requeue 1" }));
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toHaveText("Requeued. Delivered.", { timeout: 20_000 });
  await tabTo(page, dialog.getByRole("link", { name: "Open the operation" }));
  await page.keyboard.press("Enter");

  const row = dialog.getByRole("listitem").getByRole("link");
  await tabTo(page, row);
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("heading", { name: "Granted notification" })).toBeVisible();
  await isTrapped(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page.getByRole("row").filter({ hasText: reason }).first()).toContainText("Otto Operator (you)");
});

test("after a search the shortcuts work again, and the next search is empty", async ({ page }) => {
  await openConsole(page, "viewer");
  const search = page.getByRole("textbox", { name: "Find by any id" });
  await page.keyboard.press("/");
  await page.keyboard.type("nobodys-id");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Unknown id")).toBeVisible();
  await expect(search).not.toBeFocused();
  await page.keyboard.press("/");
  await expect(search).toBeFocused();
  await expect(search).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(search).not.toBeFocused();
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await expect(page.getByRole("heading", { name: "Outbox", level: 1 })).toBeVisible();
});
