import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { fillIn, grant } from "./people.ts";
import { variable } from "./stack.ts";

const asMachine = { authorization: `Bearer ${variable("KENRI_API_KEY")}`, "content-type": "application/json" };

async function openConsole(page: Page, user: string, path = "/admin/"): Promise<void> {
  await page.goto(`${variable("GATEWAY_URL")}${path}`);
  await fillIn(page, user);
  await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
}

/** Makes what a system does for users with this prefix fail, until it is set to "". */
async function failFor(system: string, prefix: string): Promise<void> {
  const body = JSON.stringify({ user_prefix: prefix });
  const answer = await fetch(`${variable(`${system}_URL`)}/debug/faults`, { method: "PUT", headers: asMachine, body });
  expect(answer.status).toBe(200);
}

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
      await openConsole(page, "operator", "/admin/failures");
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

    const me = (await (await page.request.get(`${variable("GATEWAY_URL")}/v1/me`)).json()) as { user_id: string };
    await page.getByRole("link", { name: "Audit" }).click();
    const line = page.getByRole("row").filter({ hasText: reason }).first();
    await expect(line).toContainText(me.user_id);
  });

test("who may only look sees failures and no way to change anything", async ({ page }) => {
  await openConsole(page, "viewer", "/admin/failures");
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

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("every page is accessible, fits a phone, and its policy stops nothing", async ({ page }) => {
      const complaints: string[] = [];
      page.on("console", message => complaints.push(message.text()));
      await openConsole(page, "operator");
      for (const path of ["", "outbox", "notifications?status=FAILED", "failures", "journey", "journey/nobody", "operations", "audit"]) {
        await page.setViewportSize({ width: 1440, height: 900 });
        await page.goto(`${variable("GATEWAY_URL")}/admin/${path}`);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect({ path, violations: violations.map(one => one.id) }).toEqual({ path, violations: [] });
        await page.setViewportSize({ width: 390, height: 844 });
        await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), { message: path }).toBe(true);
      }
      expect(complaints.filter(one => one.includes("Content Security Policy"))).toEqual([]);
    });
  });
}
