import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { desk, openConsole, phone, settled } from "./console.ts";

const calm = { state: "ok", detail: null, evaluated_at: null, objectives: [], alerts: [], alerts_left_out: 0, failing_rules: [] };
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const objective = (slo: string, given: object = {}) => ({
  slo,
  objective: 0.95,
  state: "measured",
  budget_remaining: 1,
  error_28d: 0,
  error_1h: 0,
  error_5m: 0,
  since: ago(200),
  ...given,
});
const alert = (severity: string, state: string, given: object = {}) => ({
  name: "KenriOutboxOld",
  severity,
  state,
  since: ago(12),
  summary: "The oldest event has waited 12m for its publication.",
  labels: {},
  runbook: { section: "events are not published", url: null },
  page: "/admin/outbox",
  ...given,
});
const burning = {
  ...calm,
  objectives: [
    objective("grants", { objective: 0.9995 }),
    objective("publish-delay", { budget_remaining: -1.4, error_28d: 0.12, error_1h: 0.4 }),
    objective("orders", { state: "no_traffic", budget_remaining: null, error_28d: null, error_1h: null }),
    objective("time-to-match", { state: "no_data", budget_remaining: null, error_28d: null, error_1h: null, since: null }),
    objective("delivery", { state: "unknown", budget_remaining: null, error_28d: null, error_1h: null, since: null }),
  ],
  failing_rules: ["kenri:sli_error:ratio1h"],
  alerts: [alert("page", "firing"), alert("ticket", "pending", { name: "KenriOther", runbook: null, page: null })],
};

/** The answer of the gateway, as a Prometheus in this state would make it. */
async function openWith(page: Page, monitoring: object): Promise<void> {
  await page.route("**/admin/api/gateway/monitoring", route => route.fulfill({ json: monitoring }));
  await openConsole(page, "viewer");
  await settled(page);
}
const headline = (page: Page) => page.getByRole("region", { name: "State of the system" });
const objectives = (page: Page) => page.getByRole("region", { name: "Objectives" });

test("the worst budget comes first with an example, and an alert that fires is in the headline", async ({ page }) => {
  await page.setViewportSize(desk);
  const slowest = { published: { id: crypto.randomUUID(), took_ms: 42_000, minute: ago(30) } };
  await page.route("**/admin/api/entitlement/flow/slowest**", route => route.fulfill({ json: { slowest } }));
  await openWith(page, burning);
  await expect(headline(page)).toContainText("An alert fires: The oldest event has waited 12m");
  await expect(headline(page)).not.toContainText("healthy");
  const worst = objectives(page).getByRole("row").nth(1);
  for (const text of ["Publish delay", "−140 %", "used up", "12 % of 3 h", "40 %"]) await expect(worst).toContainText(text);
  await expect(objectives(page)).toContainText("No traffic: Orders answered.");
  await expect(objectives(page)).toContainText("no process has reported any yet: Time to match.");
  await expect(objectives(page)).toContainText("No traffic or no data: Delivery.");
  await expect(headline(page)).toContainText("Alerts may be missing: Prometheus cannot evaluate kenri:sli_error:ratio1h");
  const alerts = page.getByRole("region", { name: "Alerts" });
  await expect(alerts).toContainText("1 fires, 1 will if it lasts");
  await expect(alerts.getByRole("listitem").first()).toContainText("Runbook: “events are not published”");
  await expect(alerts.getByRole("link", { name: "Show outbox" })).toHaveAttribute("href", "/admin/outbox");
  // The event was deleted meanwhile.
  await worst.getByRole("link", { name: "slowest: 42 s" }).click();
  await expect(page.getByText("Unknown id")).toBeVisible();
});

test("with alerts the page is accessible in both themes, and fits a phone", async ({ page }) => {
  await openWith(page, burning);
  for (const [colorScheme, size] of [
    ["light", desk],
    ["dark", phone],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await expect(objectives(page)).toContainText("used up");
    // The rest of the page is looked at by other tests.
    const { violations } = await new AxeBuilder({ page })
      .include('section[aria-label="Objectives"]')
      .include('section[aria-label="Alerts"]')
      .include('section[aria-label="State of the system"]')
      .analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
  }
});

test("without Prometheus the page says how to set it, and the rest of it works", async ({ page }) => {
  await openConsole(page, "viewer");
  await settled(page);
  await expect(objectives(page)).toContainText("PROMETHEUS_URL");
  await expect(headline(page)).not.toContainText("Prometheus");
  await expect(page.getByRole("region", { name: "Alerts" })).toHaveCount(0);
});

test("a Prometheus that does not answer is said, and nothing looks healthy that is unknown", async ({ page }) => {
  await openWith(page, { ...calm, state: "away", detail: "it does not answer" });
  await expect(objectives(page)).toContainText("Prometheus cannot be read: it does not answer. The rest of this page does not need it.");
  await expect(headline(page)).toContainText("Unknown: error budgets and alerts");
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
});
