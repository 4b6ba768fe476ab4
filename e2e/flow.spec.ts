import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { openConsole } from "./console.ts";
import { grant } from "./people.ts";

async function openOverview(page: Page, user = "viewer"): Promise<void> {
  await openConsole(page, user);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
}
const chart = (page: Page, name: string) => page.getByRole("figure", { name, exact: true });
const steps = ["Changed", "Published", "Consumed", "Sent"];

test.beforeAll(() => grant(`flowing-${Date.now()}`, "sword"));

test("a grant appears in every chart, by keyboard and as text", async ({ page }) => {
  test.setTimeout(60_000);
  await openOverview(page);
  for (const name of steps)
    await expect(chart(page, name).getByRole("link", { name: /^[1-9][\d,]* (changed|published|consumed|sent)$/ })).toBeVisible({
      timeout: 30_000,
    });
  for (const name of ["Change → published", "Change → consumed", "Change → sent"])
    await expect(chart(page, name)).toContainText(/p50.*m?s.*p99|\d+ m?s p99/);
  for (const name of steps) await expect(chart(page, name).locator("canvas")).toBeVisible();
  await expect(chart(page, "Sent").getByRole("row")).toHaveCount(13);

  const minute = page.getByRole("slider", { name: "Minute" });
  await minute.focus();
  await expect(minute).toHaveAttribute(
    "aria-valuetext",
    /^\d\d:\d\d: \d+ changed, \d+ published, \d+ retried, \d+ failed, \d+ consumed, \d+ sent/,
  );
  const last = await minute.inputValue();
  await page.keyboard.press("ArrowLeft");
  await expect(minute).toHaveValue(String(Number(last) - 1));
  await page.keyboard.press("Home");
  await expect(chart(page, "Changed").getByRole("link", { name: "0 changed" })).toBeVisible();

  await page.getByRole("button", { name: "6 h" }).click();
  await expect(page).toHaveURL(/\?hours=6$/);
  await expect(minute).toHaveAttribute("max", /^7[12]$/);
  await page.reload();
  await expect(page.getByRole("button", { name: "6 h" })).toHaveAttribute("aria-pressed", "true");

  await chart(page, "Sent").getByRole("link", { name: /sent$/ }).click();
  await expect(page).toHaveURL(/\/admin\/notifications\?status=SENT$/);
});

test("the overview shows dependencies, workers and the consumer lag", async ({ page }) => {
  await openOverview(page);
  const parts = (name: string) => page.getByRole("region", { name: `${name}: parts` }).getByRole("listitem");
  await expect(parts("Entitlement").filter({ hasText: "broker" }).first()).toContainText("reachable", { timeout: 15_000 });
  await expect(parts("Entitlement").filter({ hasText: "worker relay" })).toContainText("healthy");
  await expect(parts("Entitlement").filter({ hasText: "breaker of publish" })).toContainText("closed");
  await expect(parts("Notification").filter({ hasText: "worker consumer" })).toContainText("healthy");
  await expect(parts("Gateway").filter({ hasText: "signatures in Redis" })).toContainText("valid");
  const lag = page.getByRole("region", { name: "Consumer lag" });
  for (const source of ["Entitlement", "Matchmaking"]) await expect(lag.getByRole("columnheader", { name: source })).toBeVisible();
});

test("an unsigned key in Redis comes first in the headline", async ({ page }) => {
  await openOverview(page);
  const detail = "Redis holds a gateway key that no gateway signed: somebody else writes to it, or a gateway has another GATEWAY_SECRET";
  const dependencies = [
    { name: "redis", state: "ok", detail: null },
    { name: "redis_integrity", state: "trouble", detail },
  ];
  await page.route("**/admin/api/gateway/health", route =>
    route.fulfill({ json: { dependencies, workers: [], processes: [], breakers: [], consumers: [] } }),
  );
  await page.reload();
  await expect(page.getByRole("region", { name: "State of the system" })).toContainText(detail);
  const part = page.getByRole("region", { name: "Gateway: parts" }).getByRole("listitem").filter({ hasText: "signatures in Redis" });
  await expect(part).toContainText("not valid");
});

test("a failing part does not affect the others, and the headline shows it first", async ({ page }) => {
  await openOverview(page);
  await page.route("**/admin/api/notification/flow**", route =>
    route.fulfill({ status: 503, json: { code: "UNAVAILABLE", detail: "the database is away" } }),
  );
  await page.route("**/admin/api/entitlement/health", route =>
    route.fulfill({
      json: {
        dependencies: [
          { name: "database", state: "ok", detail: null },
          { name: "broker", state: "trouble", detail: "NATS is not connected" },
        ],
        workers: [{ name: "entitlement:relay", state: "trouble", detail: "no process runs it" }],
        processes: [],
        breakers: [{ name: "publish", state: "unknown", detail: null }],
        consumers: [],
      },
    }),
  );
  await page.reload();
  await expect(page.getByText(/^NATS is unreachable: grants continue/)).toBeVisible();
  const parts = page.getByRole("region", { name: "Entitlement: parts" });
  await expect(parts).toContainText("NATS is not connected");
  await expect(parts).toContainText("no process runs it");
  await expect(page.getByRole("alert").filter({ hasText: "the database is away" })).toHaveCount(4, { timeout: 15_000 });
  await expect(chart(page, "Published").locator("canvas")).toBeVisible();
  await expect(page.getByRole("region", { name: "Consumer lag" })).toContainText("In progress");
});

test("a browser that cannot load the chart library shows everything except the drawings", async ({ page }) => {
  await page.route(/series_chart[^/]*\.js$/, route => route.abort());
  await openOverview(page);
  await expect(chart(page, "Sent")).toContainText("The chart cannot be drawn in this browser.");
  await expect(chart(page, "Sent").locator("table")).toContainText("sent");
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
});

test("a browser whose language is not a valid tag draws the charts", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "language", { value: "en-US@posix", configurable: true }));
  await openOverview(page);
  await expect(chart(page, "Sent").locator("canvas")).toBeVisible();
});

test("the chart library is loaded with the first chart", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", request => loaded.push(request.url()));
  await openConsole(page, "viewer", "outbox");
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
  expect(loaded.filter(url => url.includes("series_chart"))).toEqual([]);
  await page.getByRole("link", { name: "Overview" }).click();
  await expect(chart(page, "Sent").locator("canvas")).toBeVisible();
  expect(loaded.filter(url => url.includes("series_chart") && url.endsWith(".js")).length).toBe(1);
});

for (const colorScheme of ["light", "dark"] as const)
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });
    test("the overview with charts is accessible, fits a phone, and has no policy violations", async ({ page }) => {
      test.setTimeout(90_000);
      const complaints: string[] = [];
      page.on("console", message => complaints.push(message.text()));
      await openOverview(page);
      await expect(chart(page, "Change → sent").locator("canvas")).toBeVisible();
      await chart(page, "Sent").locator(".u-over").hover();
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect({ width, violations: violations.map(one => one.id) }).toEqual({ width, violations: [] });
        await expect.poll(() => page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
      }
      expect(complaints.filter(one => one.includes("Content Security Policy"))).toEqual([]);
    });
  });
