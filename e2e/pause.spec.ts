import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { openConsole, visit } from "./console.ts";
import { variable } from "./stack.ts";

const role = "sender of orders";
const reason = `broker maintenance ${Date.now()}`;

/** Whatever happened in a test, the next one finds a sender that works. */
test.afterEach(async ({ request }) => {
  const headers = { authorization: `Bearer ${variable("KENRI_API_KEY")}` };
  const answer = await request.post(`${variable("ORDERS_URL")}/ops/roles/sender/resume`, { headers, data: { reason: "end of a test" } });
  expect(answer.status()).toBe(200);
});

test("an operator pauses a role with a reason; every page that it concerns says so, a viewer cannot act, and a resume ends it", async ({
  page,
  browser,
}) => {
  test.setTimeout(90_000);
  const paused = page.getByRole("region", { name: "Paused", exact: true });
  await openConsole(page, "operator");
  await page.getByRole("button", { name: `Pause the ${role}` }).click();
  const dialog = page.getByRole("dialog", { name: `Pause the ${role}` });
  await expect(dialog).toContainText("Orders are accepted. They wait");
  expect((await new AxeBuilder({ page }).include("[role=dialog]").analyze()).violations).toEqual([]);
  await dialog.getByLabel("Reason").fill(reason);
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(paused).toContainText(`Paused: ${role}`);
  await expect(paused).toContainText(reason);
  await expect(page.getByRole("region", { name: "State of the system" })).toContainText(`Paused by operators: ${role}`);
  await expect(page.getByRole("region", { name: "State of the system" })).not.toContainText("healthy");

  const viewer = await browser.newPage();
  await openConsole(viewer, "viewer", "orders");
  const seen = viewer.getByRole("region", { name: "Paused", exact: true });
  await expect(seen).toContainText(reason);
  await expect(seen.getByRole("button", { name: /Resume/ })).toHaveCount(0);
  await viewer.close();

  await visit(page, "orders");
  await paused.getByRole("button", { name: `Resume the ${role}` }).click();
  await page.getByRole("dialog").getByLabel("Reason").fill(`${reason} is over`);
  await page.getByRole("dialog").getByRole("button", { name: "Resume", exact: true }).click();
  await expect(paused).toBeHidden();
  await visit(page, "audit");
  await expect(page.getByRole("row", { name: new RegExp(`Role paused: ${role}`) }).first()).toContainText("orders:sender");
  await expect(page.getByRole("row", { name: new RegExp(`${reason} is over`) })).toContainText(`Role resumed: ${role}`);
});
