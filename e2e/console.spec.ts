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
  test(`${what} that died is found by its cause, requeued with a reason and told once; the audit names the operator in one row`, async ({
    page,
  }) => {
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
    const line = page.getByRole("row").filter({ hasText: reason });
    await expect(line).toHaveCount(1);
    await expect(line).toContainText("Otto Operator (you)");
    await expect(line).toContainText(/Requeue 3 (events|notifications)/);
    await line.getByRole("link", { name: /^Items/ }).click();
    await expect(page.getByRole("row").filter({ hasText: reason })).toHaveCount(3);
    await page.getByRole("button", { name: /^Remove filter items of operation/ }).click();
    await line.getByRole("link", { name: /^Operation/ }).click();
    await expect(page.getByRole("dialog")).toContainText(reason);
  });

test("a dead delivery is requeued from its journey, which ends in red before and with the delivery after", async ({ page }) => {
  test.setTimeout(60_000);
  const user = `stranded-${Date.now()}`;
  await failFor("NOTIFICATION", user);
  try {
    await grant(user, "compass");
    await openConsole(page, "operator", `notifications?status=FAILED&user_id=${user}`);
    await page.getByRole("row").filter({ hasText: user }).getByRole("button").nth(0).click({ timeout: 20_000 });
    await page.getByRole("dialog").getByRole("link", { name: "the whole way of its event" }).click();
    const steps = page.getByRole("main").getByRole("listitem");
    await expect(steps.last()).toContainText("Not delivered: needs attention");
    await expect(steps.filter({ hasText: "Attempt 2 failed, the last one" })).toHaveCount(1);
    await expect(page.getByText("generation")).toHaveCount(0);
  } finally {
    await failFor("NOTIFICATION", "");
  }
  const steps = page.getByRole("main").getByRole("listitem");
  const order = async () => (await steps.allInnerTexts()).join("\n");
  const text = await order();
  expect(text.indexOf("Published as #")).toBeLessThan(text.indexOf("Consumed by notification"));
  await steps.last().getByRole("button", { name: "Requeue" }).click();
  await steps.last().getByLabel("Reason").fill("the channel is well again");
  await steps.last().getByRole("button", { name: "Requeue" }).click();
  await expect(steps.filter({ hasText: "Delivered to the inbox" })).toBeVisible({ timeout: 20_000 });
  await expect(steps.filter({ hasText: "Notification requeued" })).toContainText("the channel is well again");
  await expect(page.getByRole("region", { name: /^Event/ })).toContainText("Delivered");
});

test("an outage is told by its cause and what it means, once", async ({ page }) => {
  const away = "NATS is not connected";
  const parts = (...some: [string, string | null][]) => some.map(([name, detail]) => ({ name, detail, state: detail ? "trouble" : "ok" }));
  const health = {
    entitlement: {
      dependencies: parts(["database", null], ["broker", away]),
      workers: parts(["entitlement:relay", `broker: ${away}; publish: ${away}`]),
      breakers: parts(["publish", away]),
      consumer: null,
    },
    notification: {
      dependencies: parts(["database", null], ["broker", "does not answer"]),
      workers: parts(["notification:consumer", `broker: ${away}`], ["notification:sender", `broker: ${away}`]),
      breakers: [],
      consumer: null,
    },
  };
  for (const [system, body] of Object.entries(health))
    await page.route(`**/admin/api/${system}/health`, route => route.fulfill({ json: body }));
  await openConsole(page, "viewer");
  const headline = page.getByRole("region", { name: "State of the system" });
  await expect(headline).toContainText(/NATS is away: grants go on, (\d+ )?events? waits?/);
  await expect(headline).toContainText("Affected: breaker of publish, relay, consumer, sender");
  expect((await headline.textContent())?.match(/NATS/g)).toHaveLength(1);
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
