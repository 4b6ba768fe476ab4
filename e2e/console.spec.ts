import { expect, test } from "@playwright/test";
import { openConsole } from "./console.ts";
import { failFor, grant } from "./people.ts";
import { variable } from "./stack.ts";

const asMachine = { authorization: `Bearer ${variable("KENRI_API_KEY")}` };

async function inboxOf(user: string): Promise<{ status: string }[]> {
  const answer = await fetch(`${variable("NOTIFICATION_URL")}/debug/notification/inbox/${user}`, { headers: asMachine });
  return ((await answer.json()) as { notifications: { status: string }[] }).notifications;
}

for (const { what, system, list } of [
  { what: "a delivery", system: "NOTIFICATION", list: "Notifications" },
  { what: "a publish, inside the duplicate window,", system: "ENTITLEMENT", list: "Outbox" },
])
  test(`${what} that died is found by its cause, put back with a reason and told once; the audit names the operator`, async ({ page }) => {
    test.setTimeout(90_000);
    const prefix = `unlucky-${Date.now()}`;
    const users = [1, 2, 3].map(number => `${prefix}-${number}`);
    await failFor(system, prefix);
    try {
      for (const user of users) await grant(user, "sword");
      await openConsole(page, "operator", "failures");
      const group = page.getByRole("region", { name: list }).getByRole("listitem").filter({ hasText: "made to fail" });
      await expect(group.getByText("3", { exact: true })).toBeVisible({ timeout: 40_000 });
      await expect(page.getByRole("link", { name: new RegExp(`^${list} ?3 failed`) })).toBeVisible();
      await group.getByRole("link", { name: "Show" }).click();
      await expect(page.getByRole("button", { name: /^Failed ?3$/ })).toHaveAttribute("aria-pressed", "true");
      await page.goBack();
      await group.getByRole("button", { name: "Requeue" }).click();
      await expect(page.getByRole("dialog")).toContainText("3 of 3 that match will go back to pending");
    } finally {
      await failFor(system, "");
    }

    const reason = `the channel is well again ${prefix}`;
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill(reason);
    await dialog.getByRole("button", { name: "Requeue 3" }).click();
    await expect(dialog.getByRole("status")).toHaveText("Done.", { timeout: 20_000 });
    await expect(dialog).toContainText("3 / 3");
    await dialog.getByRole("link", { name: "Open the operation" }).click();
    await expect(page.getByRole("dialog").getByText("Done", { exact: true }).first()).toBeVisible();
    await page.keyboard.press("Escape");

    for (const user of users)
      await expect.poll(async () => (await inboxOf(user)).map(one => one.status), { timeout: 20_000 }).toEqual(["SENT"]);

    await page.getByRole("link", { name: "Audit" }).click();
    const line = page.getByRole("row").filter({ hasText: reason }).first();
    await expect(line).toContainText("Otto Operator (you)");
  });

test("who may only look sees failures and no way to change anything", async ({ page }) => {
  await openConsole(page, "viewer", "failures");
  await expect(page.getByRole("heading", { name: "Failures" })).toBeVisible();
  await expect(page.getByText("VIEWER", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /Requeue|Discard/ })).toHaveCount(0);
});

test("the main pages are reached by keys alone", async ({ page }) => {
  await openConsole(page, "operator");
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  for (const [key, name] of [
    ["o", "Outbox"],
    ["n", "Notifications"],
    ["d", "Failures"],
    ["p", "Operations"],
    ["a", "Audit"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(key);
    await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
  }
  await page.keyboard.press("/");
  await expect(page.getByRole("textbox", { name: "Find by any id" })).toBeFocused();
});

test("only an admin throws away what failed, all of it at once, after typing how many", async ({ page, browser }) => {
  const prefix = `unwanted-${Date.now()}`;
  await failFor("NOTIFICATION", prefix);
  try {
    for (const number of [1, 2]) await grant(`${prefix}-${number}`, "shield");
    await openConsole(page, "admin", "failures");
    const group = page.getByRole("region", { name: "Notifications" }).getByRole("listitem").filter({ hasText: "made to fail" });
    await expect(group.getByText("2", { exact: true })).toBeVisible({ timeout: 20_000 });
    await group.getByRole("button", { name: "Requeue" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Discard instead" }).click();
    await expect(dialog).toContainText("2 of 2 that match will be deleted for good");
    const discard = dialog.getByRole("button", { name: "Discard 2" });
    await dialog.getByLabel("Reason").fill(`a rehearsal ${prefix}`);
    await expect(discard).toBeDisabled();
    await dialog.getByLabel("Type discard 2 to confirm").fill("discard 3");
    await expect(discard).toBeDisabled();

    const other = await (await browser.newContext()).newPage();
    await openConsole(other, "operator", "failures");
    await other.getByRole("region", { name: "Notifications" }).getByRole("button", { name: "Requeue" }).first().click();
    await expect(other.getByRole("dialog").getByRole("button", { name: "Requeue 2" })).toBeVisible();
    await expect(other.getByRole("button", { name: /Discard/ })).toHaveCount(0);
    await other.context().close();

    await dialog.getByLabel("Type discard 2 to confirm").fill("discard 2");
    await discard.click();
    await expect(dialog.getByRole("status")).toHaveText("Done.", { timeout: 20_000 });
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await expect(group).toHaveCount(0);
    for (const number of [1, 2]) expect(await inboxOf(`${prefix}-${number}`)).toEqual([]);
  } finally {
    await failFor("NOTIFICATION", "");
  }
});
