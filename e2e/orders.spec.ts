import { type Browser, expect, type Page, test } from "@playwright/test";
import { addressOf, openConsole, visit } from "./console.ts";
import { seed } from "./seed.ts";
import { variable } from "./stack.ts";

const broker = variable("BROKER_URL");
const machine = { authorization: `Bearer ${variable("KENRI_API_KEY")}`, "content-type": "application/json" };
// A seeded row is seen at the second refresh at the latest: the first answer may be one that another page got before.
const refreshed = { timeout: 15_000 };
const order = { symbol: "ACME", side: "BUY", quantity: "10", order_type: "MARKET" };

/** Places an order by the API, like a trading program. Returns its id. */
async function place(key: string, terms: Partial<typeof order>): Promise<string> {
  const answer = await fetch(`${variable("ORDERS_URL")}/do/order`, {
    method: "POST",
    headers: { ...machine, "idempotency-key": key },
    body: JSON.stringify({ ...order, ...terms }),
  });
  expect(answer.status, await answer.clone().text()).toBe(202);
  return ((await answer.json()) as { order_id: string }).order_id;
}

const faults = async (wanted: object) => {
  const answer = await fetch(`${broker}/faults`, { method: "PUT", headers: machine, body: JSON.stringify(wanted) });
  expect(answer.status, await answer.text()).toBe(200);
};

/** The order in the broker's own book. */
const booked = async (key: string) =>
  (await (await fetch(`${broker}/orders/${encodeURIComponent(key)}`)).json()) as {
    state?: string;
    broker_order_id?: string;
    executions?: number;
  };

/** The key at the broker. A requeued order has a new one. */
const brokerKeyOf = async (page: Page, id: string) =>
  ((await (await page.request.get(addressOf(`api/orders/orders/${id}`))).json()) as { broker_key: string }).broker_key;

interface Seeded {
  readonly orderId: string;
  readonly key: string;
}

/** Orders whose answer was lost. The sender does not ask for them while a test runs. */
const putUnknown = (client: string, keys: readonly string[]) =>
  seed<Seeded[]>(
    "orders",
    keys.map((key, index) => ({
      at: Date.now() - 600_000 + index,
      client,
      key,
      order,
      status: "failed",
      isUnknown: true,
      code: "TIMEOUT",
      message: "no answer within 5000 ms",
      calls: [{ kind: "send", after: 12, took: 5000, outcome: "unknown", code: "TIMEOUT", message: "no answer within 5000 ms" }],
    })),
  );

const unknownOutcomes = (page: Page) => page.getByRole("region", { name: "Unknown outcomes" });
const auditRow = (page: Page, reason: string) => page.getByRole("row").filter({ hasText: reason });

test("an unknown outcome is found, the broker is asked, another one is settled by hand, and the audit names who and why", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const client = `desk-${Date.now()}`;
  const [executed, lost] = (await putUnknown(client, ["executed", "lost"])) as [Seeded, Seeded];
  // The broker got the first one: its answer was lost. It never got the second one.
  await fetch(`${broker}/orders`, {
    method: "POST",
    headers: { ...machine, "idempotency-key": executed.key },
    body: JSON.stringify(order),
  });
  const { broker_order_id } = await booked(executed.key);
  try {
    await openConsole(page, "admin");
    await expect(page.getByRole("region", { name: "State of the system" })).toContainText(
      "2 unknown outcomes of orders: needs attention",
      refreshed,
    );
    await page.getByRole("region", { name: "State of the system" }).getByRole("link", { name: "Show the unknown outcomes" }).click();
    await expect(unknownOutcomes(page)).toContainText("2 unknown outcomes", refreshed);
    await expect(page.getByRole("link", { name: /^Orders ?\d+ need attention/ })).toBeVisible(refreshed);
    await unknownOutcomes(page).getByRole("row").filter({ hasText: executed.key }).getByRole("button").first().click();

    const drawer = page.getByRole("dialog");
    await expect(drawer.getByRole("heading", { name: "BUY 10 ACME at market" })).toBeVisible();
    await expect(drawer).toContainText("Sent: outcome unknown");
    const asked = `what became of it ${client}`;
    await drawer.getByRole("button", { name: "Ask the broker now …" }).click();
    await drawer.getByLabel("Reason").fill(asked);
    await drawer.getByRole("button", { name: "Ask the broker", exact: true }).click();
    await expect(drawer.getByRole("status")).toHaveText(`The broker executed it as ${broker_order_id}. The order succeeded.`);
    await expect(drawer).toContainText("Asked: executed");
    await expect(drawer).toContainText("accepted → succeeded");
    await page.keyboard.press("Escape");
    await expect(unknownOutcomes(page)).toContainText("1 unknown outcome", refreshed);

    await unknownOutcomes(page).getByRole("row").filter({ hasText: lost.key }).getByRole("button").first().click();
    await drawer.getByRole("button", { name: "Settle by hand …" }).click();
    await drawer.getByLabel(/^Failed/i).check();
    await expect(drawer).toContainText("the client then has it twice");
    const reason = `the broker's desk denies it ${client}`;
    await drawer.getByLabel("Reason").fill(reason);
    const settle = drawer.getByRole("button", { name: "Settle as failed" });
    await expect(settle).toBeDisabled();
    await drawer.getByLabel("to confirm").fill("settle as failed");
    await settle.click();
    await expect(drawer.getByRole("status")).toHaveText("It was settled as failed.");
    await expect(drawer).toContainText("RESOLVED_FAILED");
    await page.keyboard.press("Escape");
    await expect(unknownOutcomes(page)).toHaveCount(0, refreshed);

    await page.getByRole("link", { name: "Audit" }).click();
    await expect(auditRow(page, asked)).toContainText("Ada Admin (you)");
    await expect(auditRow(page, asked)).toContainText("Broker asked");
    await expect(auditRow(page, reason)).toContainText("Ada Admin (you)");
    await expect(auditRow(page, reason)).toContainText("Order settled by hand");

    await page.getByRole("textbox", { name: "Find by any id" }).fill(lost.key);
    await page.keyboard.press("Enter");
    const steps = page.getByRole("main").getByRole("listitem");
    await expect(steps.filter({ hasText: "Settled: accepted → failed" })).toContainText(reason);
  } finally {
    await seed("forget", { prefix: client });
  }
});

test("all unknown outcomes are counted and can be reached, page by page", async ({ page }) => {
  test.setTimeout(60_000);
  const client = `pages-${Date.now()}`;
  const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
  await putUnknown(client, keys);
  try {
    await openConsole(page, "viewer", "orders");
    await expect(unknownOutcomes(page)).toContainText("60 unknown outcomes", refreshed);
    const rows = unknownOutcomes(page).getByRole("row").filter({ hasText: client });
    await expect(rows).toHaveCount(50);
    await unknownOutcomes(page).getByRole("button", { name: "Show more" }).click();
    await expect(rows).toHaveCount(60, refreshed);
    await expect(unknownOutcomes(page).getByRole("button", { name: "Show more" })).toHaveCount(0);
  } finally {
    await seed("forget", { prefix: client });
  }
});

async function answersOf(page: Page, id: string): Promise<Record<string, number>> {
  const post = async (action: string, data: object) =>
    (await page.request.post(addressOf(`api/orders/orders/${id}/${action}`), { headers: { "x-kenri-csrf": "1" }, data })).status();
  return { ask: await post("ask", { reason: "may I" }), resolve: await post("resolve", { outcome: "succeeded", reason: "may I" }) };
}

test("a viewer neither asks nor settles, and an operator does not settle by hand: no button, and the server refuses", async ({
  page,
  browser,
}) => {
  test.setTimeout(60_000);
  const client = `guarded-${Date.now()}`;
  const [one] = (await putUnknown(client, ["guarded"])) as [Seeded];
  const as = async (user: string, check: (page: Page) => Promise<void>) => {
    const context = await (browser as Browser).newContext();
    const page = await context.newPage();
    await openConsole(page, user, `orders/${one.orderId}`);
    await expect(page.getByRole("dialog")).toContainText("its result is not known");
    await check(page);
    await context.close();
  };
  try {
    await as("viewer", async page => {
      await expect(page.getByRole("dialog").getByRole("button", { name: /…$/ })).toHaveCount(0);
      expect(await answersOf(page, one.orderId)).toEqual({ ask: 403, resolve: 403 });
    });
    await as("operator", async page => {
      await expect(page.getByRole("dialog").getByRole("button", { name: /…$/ })).toHaveText(["Ask the broker now …"]);
      expect(await answersOf(page, one.orderId)).toEqual({ ask: 200, resolve: 403 });
    });
    await openConsole(page, "viewer", `audit?subject=${one.orderId}`);
    await expect(auditRow(page, "may I")).toContainText("Broker asked: never received");
  } finally {
    await seed("forget", { prefix: client });
  }
});

test("an order whose answer was lost is unknown, shown as such, and settled by the sender once the broker answers; it is executed once", async ({
  page,
}) => {
  test.setTimeout(120_000);
  const key = `dropped-${Date.now()}`;
  // Executed, then cut without an answer. Questions take longer than the sender waits.
  await faults({ drop_after: 1, delay_ms: 3000, asks_too: true, symbols: ["DROP"] });
  try {
    const id = await place(key, { symbol: "DROP" });
    await openConsole(page, "viewer", "orders");
    await expect(unknownOutcomes(page)).toContainText("BUY 10 DROP at market", { timeout: 30_000 });
    await visit(page, `journey/${key}`);
    await expect(page.getByRole("region", { name: `Order ${id}` })).toContainText("Outcome unknown");
    await faults({});
    const steps = page.getByRole("main").getByRole("listitem");
    await expect(steps.last()).toContainText("Settled: accepted → succeeded", { timeout: 60_000 });
    await expect(steps.filter({ hasText: "Asked: executed" })).toHaveCount(1);
    expect((await booked(await brokerKeyOf(page, id))).executions).toBe(1);
  } finally {
    await faults({});
  }
});

test("a rejected order is aborted, found by its reason code, requeued by an operator, and then executed", async ({ page }) => {
  test.setTimeout(60_000);
  const key = `rejected-${Date.now()}`;
  await faults({ reject: 1, symbols: ["NOPE"] });
  try {
    const id = await place(key, { symbol: "NOPE", quantity: "3" });
    await openConsole(page, "operator", "failures");
    const group = page
      .getByRole("region", { name: "Orders" })
      .getByRole("listitem")
      .filter({ hasText: /REJECTED|reject/i });
    await group.getByRole("link", { name: "Show" }).click({ timeout: 20_000 });
    await page.getByRole("button", { name: new RegExp(`open ${id}`) }).click();
    const drawer = page.getByRole("dialog");
    await expect(drawer).toContainText("Sent: rejected");
    await faults({});
    await drawer.getByRole("button", { name: "Requeue …" }).click();
    await expect(drawer).toContainText("that this order failed, and may have ordered again");
    await drawer.getByLabel("Reason").fill(`the symbol trades again ${key}`);
    await drawer.getByRole("button", { name: "Requeue", exact: true }).click();
    await expect(drawer.getByText("Sent: executed")).toBeVisible({ timeout: 20_000 });
    await expect(drawer).toContainText("failed → accepted");
    expect(await booked(await brokerKeyOf(page, id))).toMatchObject({ executions: 1 });
  } finally {
    await faults({});
  }
});

test("a cancelled order is listed as aborted, but it is no failure and cannot be requeued", async ({ page }) => {
  const client = `calm-${Date.now()}`;
  await openConsole(page, "operator", "orders?status=aborted");
  const badge = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Orders/ });
  const tab = page.getByRole("button", { name: /^Aborted ?\d+$/ });
  await expect(tab).toBeVisible();
  await page.waitForLoadState("networkidle");
  const [before, aborted] = [(await badge.textContent())!, Number(/\d+/.exec((await tab.textContent())!)![0])];
  const cancelled = { at: Date.now(), client, key: "k", order, status: "aborted", code: "CANCELLED", message: "cancelled", calls: [] };
  const [one] = (await seed<Seeded[]>("orders", [cancelled])) as [Seeded];
  try {
    await visit(page, `orders/${one.orderId}?status=aborted`);
    await expect(page.getByRole("dialog")).toContainText("The client cancelled this order. It is never sent again.");
    await expect(page.getByRole("dialog").getByRole("button", { name: /…$/ })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(tab).toHaveText(`Aborted${aborted + 1}`, refreshed);
    await expect(badge).toHaveText(before, refreshed);
    await visit(page, "failures");
    await expect(page.getByRole("region", { name: "Orders" })).not.toContainText("CANCELLED");
  } finally {
    await seed("forget", { prefix: client });
  }
});

test("only an admin discards an order: the ledger keeps its entry, and journey and audit say who and why", async ({ page, browser }) => {
  test.setTimeout(60_000);
  const client = `unwanted-${Date.now()}`;
  const call = { kind: "send", after: 10, took: 20, outcome: "final", code: "REJECTED", message: "no such market" };
  const rejected = { at: Date.now() - 7_200_000, client, key: "k", order, status: "aborted", code: "REJECTED", message: "no such market" };
  const [one] = (await seed<Seeded[]>("orders", [{ ...rejected, calls: [call] }])) as [Seeded];
  const path = `orders/${one.orderId}?status=aborted`;
  try {
    const other = await (await browser.newContext()).newPage();
    await openConsole(other, "operator", path);
    await expect(other.getByRole("dialog").getByRole("button", { name: /…$/ })).toHaveText(["Requeue …"]);
    await other.getByRole("dialog").getByRole("button", { name: "Requeue …" }).click();
    await expect(other.getByRole("dialog")).toContainText("The client was told 2 h ago that this order failed");
    const refused = { headers: { "x-kenri-csrf": "1" }, data: { reason: "may I" } };
    expect((await other.request.post(addressOf(`api/orders/orders/${one.orderId}/discard`), refused)).status()).toBe(403);
    await other.context().close();

    await openConsole(page, "admin", path);
    const drawer = page.getByRole("dialog");
    await drawer.getByRole("button", { name: "Discard …" }).click();
    await expect(drawer).toContainText("It is deleted permanently. The ledger keeps its entry");
    const reason = `the desk closed ${client}`;
    await drawer.getByLabel("Reason").fill(reason);
    await drawer.getByRole("button", { name: "Discard", exact: true }).click();
    await expect(drawer.getByText("It was discarded.")).toBeVisible();
    await expect(drawer.getByRole("button", { name: /…$/ })).toHaveCount(0);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("button", { name: new RegExp(`open ${one.orderId}`) })).toHaveCount(0, refreshed);

    await visit(page, `journey/${one.orderId}`);
    const steps = page.getByRole("main").getByRole("listitem");
    await expect(steps.filter({ hasText: "Order accepted" })).toContainText("the ledger keeps its entry");
    await expect(steps.filter({ hasText: "Settled: accepted → failed" })).toHaveCount(1);
    await expect(steps.filter({ hasText: "Order discarded" })).toContainText(reason);
    await visit(page, `audit?subject=${one.orderId}`);
    await expect(auditRow(page, reason)).toContainText("Order discarded");
  } finally {
    await seed("forget", { prefix: client });
  }
});
