import { expect, type Page, test } from "@playwright/test";
import { openConsole } from "./console.ts";
import { failFor, grant } from "./people.ts";
import { seed } from "./seed.ts";
import { variable } from "./stack.ts";

const asMachine = { authorization: `Bearer ${variable("KENRI_API_KEY")}` };

async function inboxOf(user: string): Promise<{ status: string }[]> {
  const answer = await fetch(`${variable("NOTIFICATION_URL")}/debug/notification/inbox/${user}`, { headers: asMachine });
  return ((await answer.json()) as { notifications: { status: string }[] }).notifications;
}

/** Rows that the tests made fail permanently. Rows with the same cause may also be retrying. */
const failedGroup = (page: Page, list: string) =>
  page.getByRole("region", { name: list }).getByRole("list", { name: "Failed" }).getByRole("listitem").filter({ hasText: "made to fail" });

for (const { what, system, list } of [
  { what: "a delivery", system: "NOTIFICATION", list: "Notifications" },
  { what: "a publish, inside the duplicate window,", system: "ENTITLEMENT", list: "Outbox" },
])
  test(`${what} that failed is found by its cause, requeued with a reason and delivered once; the audit log has one row with the operator`, async ({
    page,
  }) => {
    test.setTimeout(90_000);
    const prefix = `unlucky-${Date.now()}`;
    const users = [1, 2, 3].map(number => `${prefix}-${number}`);
    await failFor(system, prefix);
    try {
      for (const user of users) await grant(user, "sword");
      await openConsole(page, "operator", "failures");
      const group = failedGroup(page, list);
      await expect(group.getByText("3", { exact: true })).toBeVisible({ timeout: 40_000 });
      await expect(page.getByRole("link", { name: new RegExp(`^${list} ?3 failed`) })).toBeVisible();
      await group.getByRole("link", { name: "Show" }).click();
      await expect(page.getByRole("button", { name: /^Failed ?3$/ })).toHaveAttribute("aria-pressed", "true");
      await page.goBack();
      await group.getByRole("button", { name: "Requeue" }).click();
      await expect(page.getByRole("dialog")).toContainText("3 of 3 that match will be requeued");
    } finally {
      await failFor(system, "");
    }

    const reason = `the channel is well again ${prefix}`;
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Reason").fill(reason);
    await dialog.getByRole("button", { name: "Requeue 3" }).click();
    await expect(dialog.getByRole("status")).toHaveText("Requeued. Delivered.", { timeout: 20_000 });
    await expect(dialog).toContainText("3 / 3 requeued · 3 delivered");
    await dialog.getByRole("link", { name: "Open the operation" }).click();
    await expect(page.getByRole("dialog").getByRole("button", { name: "Delivered 3" })).toBeVisible();
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

test("a failed delivery is requeued from its journey, which ends with the failure before and with the delivery after", async ({ page }) => {
  test.setTimeout(60_000);
  const user = `stranded-${Date.now()}`;
  await failFor("NOTIFICATION", user);
  try {
    await grant(user, "compass");
    await openConsole(page, "operator", `notifications?status=FAILED&user_id=${user}`);
    await page.getByRole("row").filter({ hasText: user }).getByRole("button").nth(0).click({ timeout: 20_000 });
    await page.getByRole("dialog").getByRole("link", { name: "Full journey of its event" }).click();
    const steps = page.getByRole("main").getByRole("listitem");
    await expect(steps.last()).toContainText("Not delivered: needs attention");
    await expect(steps.filter({ hasText: "Attempt 2 failed, last attempt" })).toHaveCount(1);
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

test("an outage is reported once, with its cause and its consequence", async ({ page }) => {
  const away = "NATS is not connected";
  const parts = (...some: [string, string | null][]) => some.map(([name, detail]) => ({ name, detail, state: detail ? "trouble" : "ok" }));
  const health = {
    entitlement: {
      dependencies: parts(["database", null], ["broker", away]),
      workers: parts(["entitlement:relay", `broker: ${away}; publish: ${away}`]),
      breakers: parts(["publish", away]),
      consumers: [],
    },
    notification: {
      dependencies: parts(["database", null], ["broker", "does not answer"]),
      workers: parts(["notification:consumer", `broker: ${away}`], ["notification:sender", `broker: ${away}`]),
      breakers: [],
      consumers: [],
    },
  };
  for (const [system, body] of Object.entries(health))
    await page.route(`**/admin/api/${system}/health`, route => route.fulfill({ json: body }));
  await openConsole(page, "viewer");
  const headline = page.getByRole("region", { name: "State of the system" });
  await expect(headline).toContainText(/NATS is unreachable: grants continue, (\d+ )?events? waits?/);
  await expect(headline).toContainText("Affected: breaker of publish, relay, consumer, sender");
  expect((await headline.textContent())?.match(/NATS/g)).toHaveLength(1);
});

test("rows that failed again after a requeue are shown as such in the dialog, the operation, the list and the overview", async ({
  page,
}) => {
  const prefix = `hopeless-${Date.now()}`;
  await failFor("NOTIFICATION", prefix);
  try {
    for (const number of [1, 2]) await grant(`${prefix}-${number}`, "anvil");
    await openConsole(page, "operator", "failures");
    const group = failedGroup(page, "Notifications");
    await expect(group.getByText("2", { exact: true })).toBeVisible({ timeout: 20_000 });
    await group.getByRole("button", { name: "Requeue" }).click();
    const dialog = page.getByRole("dialog");
    const reason = `perhaps now ${prefix}`;
    await dialog.getByLabel("Reason").fill(reason);
    await dialog.getByRole("button", { name: "Requeue 2" }).click();
    await expect(dialog.getByRole("status")).toHaveText("Requeued. All failed again.", { timeout: 30_000 });
    await dialog.getByRole("link", { name: "Open the operation" }).click();
    const drawer = page.getByRole("dialog");
    await expect(drawer).toContainText("2 / 2 requeued · 2 failed again");
    await drawer.getByRole("button", { name: "Failed again 2" }).click();
    await expect(page).toHaveURL(/outcome=FAILED_AGAIN/);
    await expect(drawer.getByRole("listitem").filter({ hasText: "made to fail" })).toHaveCount(2);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("row").filter({ hasText: reason })).toContainText("All failed again");
    await page.getByRole("link", { name: "Overview" }).click();
    await expect(page.getByRole("region", { name: "Bulk operations" }).getByRole("listitem").filter({ hasText: reason })).toContainText(
      "All failed again",
    );
  } finally {
    await failFor("NOTIFICATION", "");
  }
  // Other tests count failures.
  await seed("forget", { prefix });
});

test("retrying rows are grouped by cause and retried now: one row, and all rows of a cause", async ({ page, browser }) => {
  const run = Date.now();
  const error = `gateway G${"ABCDEFGHIJ"[run % 10]}${run} is away`;
  const users = [1, 2, 3].map(number => `patient-${run}-${number}`);
  const ids = await seed<object[]>(
    "chains",
    users.map((user, index) => ({
      at: run - 60_000 + index,
      user,
      sku: "lamp",
      version: 1,
      reason: "PURCHASE",
      purchase: user,
      client: "shop",
      key: user,
      outbox: { status: "PUBLISHED", attempts: 1 },
      delivery: { status: "PENDING", tries: [{ after: 9, took: 7, outcome: "retry", error }] },
    })),
  );
  await openConsole(page, "operator", "failures");
  const waiting = page.getByRole("region", { name: "Notifications" }).getByRole("list", { name: "Retrying" }).getByRole("listitem");
  const group = waiting.filter({ hasText: "is away" });
  await expect(group.getByText("3", { exact: true })).toBeVisible();
  await group.getByRole("link", { name: "Show" }).click();
  await expect(page.getByRole("button", { name: /^Retrying ?3$/ })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("row").filter({ hasText: users[0]! })).toContainText(/lamp.*is away.*in 1\d m/);
  const listed = page.url();

  const other = await (await browser.newContext()).newPage();
  await openConsole(other, "viewer");
  await other.goto(listed);
  await expect(other.getByRole("row").filter({ hasText: users[0]! })).toBeVisible();
  await expect(other.getByRole("button", { name: /Retry/ }).filter({ hasText: "…" })).toHaveCount(0);
  await other.context().close();

  await page
    .getByRole("row")
    .filter({ hasText: users[0]! })
    .getByRole("button", { name: /^Retrying: open/ })
    .click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Retry now" }).click();
  await drawer.getByLabel("Reason").fill("the gateway is back");
  await drawer.getByRole("button", { name: "Retry now" }).click();
  await expect(drawer.getByRole("status").first()).toHaveText("It is due now.");
  await expect(drawer.getByText("Sent", { exact: true }).first()).toBeVisible({ timeout: 15_000 });
  await page.keyboard.press("Escape");

  await expect(page.getByRole("button", { name: /^Retrying ?2$/ })).toBeVisible({ timeout: 15_000 });
  await page.getByRole("button", { name: "Retry all that match now" }).click();
  await expect(drawer).toContainText("2 of 2 that match will be retried now");
  await drawer.getByLabel("Reason").fill(`the gateway is back ${run}`);
  await drawer.getByRole("button", { name: "Retry 2" }).click();
  await expect(drawer.getByRole("status")).toHaveText("Retried. Delivered.", { timeout: 20_000 });
  expect(ids).toHaveLength(3);
  for (const user of users) expect((await inboxOf(user)).map(one => one.status)).toEqual(["SENT"]);
});

test("the chosen sort order of failures is kept in the address", async ({ page }) => {
  await openConsole(page, "operator", "notifications?status=FAILED");
  const requested = page.waitForRequest(request => request.url().includes("sort=attempts"));
  await page.getByLabel("Sort by").selectOption("attempts");
  await requested;
  await expect(page).toHaveURL(/status=FAILED.*sort=attempts/);
  await page.reload();
  await expect(page.getByLabel("Sort by")).toHaveValue("attempts");
  await page.getByRole("button", { name: /^Sent/ }).click();
  await expect(page.getByLabel("Sort by")).toHaveCount(0);
});

test("a viewer sees failures and no action", async ({ page }) => {
  await openConsole(page, "viewer", "failures");
  await expect(page.getByRole("heading", { name: "Failures" })).toBeVisible();
  await expect(page.getByText("VIEWER", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: /Requeue|Retry|Discard/ })).toHaveCount(0);
});

test("the main pages are reached by keyboard alone", async ({ page }) => {
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

test("only an admin discards failed rows in bulk, after typing their number", async ({ page, browser }) => {
  const prefix = `unwanted-${Date.now()}`;
  await failFor("NOTIFICATION", prefix);
  try {
    for (const number of [1, 2]) await grant(`${prefix}-${number}`, "shield");
    await openConsole(page, "admin", "failures");
    const group = failedGroup(page, "Notifications");
    await expect(group.getByText("2", { exact: true })).toBeVisible({ timeout: 20_000 });
    await group.getByRole("button", { name: "Requeue" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Discard instead" }).click();
    await expect(dialog).toContainText("2 of 2 that match will be deleted permanently");
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
