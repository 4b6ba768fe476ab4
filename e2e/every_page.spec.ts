import AxeBuilder from "@axe-core/playwright";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { desk, openBy, openConsole, openersOf, pagesOf, phone, visit } from "./console.ts";
import { signInAs } from "./people.ts";
import { pairUp } from "./players.ts";
import { seed } from "./seed.ts";
import { variable } from "./stack.ts";

type Seeded =
  | "failedOrder"
  | "unknownOrder"
  | "failedEvent"
  | "failedNotification"
  | "rawLetter"
  | "operation"
  | "stopped"
  | "user"
  | "script";
let hostile: Readonly<Record<Seeded, string>> & { readonly forget: object };

test.beforeAll(async () => {
  hostile = await seed("hostile");
});
test.afterAll(() => seed("forget", hostile.forget));

// Soft, so that one run reports every violation.
const softly = expect.configure({ soft: true, timeout: 3_000 });

/** Pages that must show the hostile text as text. */
const showing =
  /^(outbox|notifications|orders|failures|users\?search|audit|operations|journey\/.|matchmaking\/tickets|entitlements\?user=%|inbox\?user=%|idempotency\/.)/;

test("every page and everything that opens there is accessible, fits desktop and phone in both themes, and shows hostile text as text", async ({
  page,
  browser,
}) => {
  test.setTimeout(400_000);
  const violations = violationsOn(page);
  await openConsole(page, "admin");
  const restore = await rename(page, `${hostile.script.slice(0, 80)}WWWWWWWWWWWWWWWWWWWW`);
  const text = encodeURIComponent(hostile.user);
  const bob = await userIdOf(browser, "bob");
  const paired = await pairUp(browser, { region: hostile.script.slice(0, 200) });
  const deeper = [
    `outbox/${hostile.failedEvent}?status=FAILED`,
    `outbox?user_id=${text}&error=${text}`,
    `notifications/${hostile.failedNotification}`,
    "notifications?status=FAILED",
    "notifications?status=RETRYING",
    "outbox?status=FAILED&sort=attempts",
    `orders/${hostile.failedOrder}?status=aborted`,
    `orders/${hostile.unknownOrder}`,
    "orders?status=failed",
    `journey/${hostile.failedEvent}`,
    `journey/${hostile.failedOrder}`,
    `journey/${hostile.unknownOrder}`,
    `journey/${text}`,
    `entitlements?user=${text}`,
    "entitlements?user=nobody",
    `inbox?user=${text}`,
    "inbox?user=nobody",
    `idempotency/${text}`,
    "failures/unreadable?which=all",
    `failures/unreadable/${hostile.rawLetter}`,
    `operations/entitlement/${hostile.operation}`,
    `operations/entitlement/${hostile.stopped}`,
    `users?search=${text}`,
    `users/${bob}`,
    `users/${(await me(page)).user_id}`,
    `matchmaking/matches/${paired.matchId}`,
    `matchmaking/tickets/${paired.alice.ticketId}`,
    `matchmaking/players/${paired.bob.userId}?list=EXPIRED`,
    "matchmaking?list=EXPIRED&mode=casual",
    "matchmaking?list=INVALID",
    `matchmaking?find=${text}`,
    `audit?subject=${encodeURIComponent(hostile.script)}`,
  ];
  const opened = new Set<string>();
  for (const path of [...(await pagesOf(page)), ...deeper]) {
    await visit(page, path);
    if (showing.test(path)) await expect(page.locator("body"), path).toContainText("<script>window.hacked=1</script>");
    await inspect(page, path);
    for (const words of (await openersOf(page)).filter(one => !opened.has(one))) {
      opened.add(words);
      await openBy(page, words);
      await inspect(page, `${path}: ${words}`);
      const [further] = (await openersOf(page)).filter(one => !opened.has(one) && one !== "Filter");
      if (further && (await page.getByRole("dialog").count()) > 0) {
        opened.add(further);
        await openBy(page, further);
        await inspect(page, `${path}: ${words}, ${further}`);
      }
      await closeWhatOpened(page, path);
    }
  }
  await page.keyboard.press("?");
  await inspect(page, "the help");
  await page.keyboard.press("Escape");
  await page.setViewportSize(phone);
  await page.getByRole("button", { name: "More" }).click();
  await inspect(page, "the rest of the pages");
  await restore();
  expect(violations).toEqual([]);
});

test("refreshing pauses visibly while rows are selected and while the tab is hidden", async ({ page }) => {
  await openConsole(page, "operator", "notifications?status=FAILED");
  const badge = page.getByText("paused while rows are selected");
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(1)
    .check();
  await expect(badge).toBeVisible();
  await page.getByRole("button", { name: "Clear selection" }).click();
  await expect(badge).toBeHidden();
  await page.evaluate(
    `Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true }); document.dispatchEvent(new Event("visibilitychange"))`,
  );
  await expect(page).toHaveTitle(/^⏸ Notifications/);
  await page.evaluate(`delete document.visibilityState; document.dispatchEvent(new Event("visibilitychange"))`);
  await expect(page).toHaveTitle(/^Notifications/);
});

/** A form outside a dialog, or in a drawer, is closed by opening the page again. */
async function closeWhatOpened(page: Page, path: string): Promise<void> {
  const before = page.url();
  const dialogs = await page.getByRole("dialog").count();
  await page.keyboard.press("Escape");
  if (dialogs !== 1 || page.url() !== before) return await visit(page, path);
  await expect(page.getByRole("dialog")).toHaveCount(0);
}

/** Collects policy violations, page errors and dialogs. */
function violationsOn(page: Page): string[] {
  const violations: string[] = [];
  page.on("console", message => message.text().includes("Content Security Policy") && violations.push(message.text()));
  page.on("pageerror", error => violations.push(error.message));
  page.on("dialog", dialog => {
    violations.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return violations;
}

/** The other rules look at the document, which is the same in both themes. */
const rulesOfColors = ["color-contrast", "link-in-text-block"];

async function inspect(page: Page, what: string): Promise<void> {
  const size = page.viewportSize()!;
  const isOpen = (await page.getByRole("dialog").count()) > 0;
  // Legacy mode: without frames, no extra page is needed per run. Loading axe takes as long as a run, so a document gets it once.
  const axe = async (options: object = {}) =>
    new AxeBuilder({ page, ...((await page.evaluate("'axe' in window")) ? { axeSource: "void 0;" } : {}) })
      .options({ resultTypes: ["violations"], preload: false, ...options })
      .setLegacyMode()
      .include(isOpen ? "[role=dialog]" : "html")
      .analyze();
  await page.emulateMedia({ colorScheme: "light" });
  const light = await axe();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await axe({ runOnly: rulesOfColors });
  const violations = [...light.violations, ...dark.violations].map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  softly({ what, violations }).toEqual({ what, violations: [] });
  for (const viewport of [desk, phone]) {
    await page.setViewportSize(viewport);
    await softly.poll(() => page.evaluate(sideways), { message: `${what}, ${viewport.width} px wide` }).toEqual([]);
  }
  await page.setViewportSize(size);
  softly(await page.evaluate("window.hacked")).toBeUndefined();
}

/** Elements wider than the page or their dialog. */
const sideways = `[document.documentElement, ...document.querySelectorAll("[role=dialog], [role=dialog] > *")]
  .filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "hidden")
  .map(one => one.tagName + "." + one.className)`;

interface Me {
  readonly user_id: string;
  readonly display_name: string;
}

const me = async (page: Page) => (await (await page.request.get(`${variable("GATEWAY_URL")}/v1/me`)).json()) as Me;

/** A user is created at the first sign-in. */
async function userIdOf(browser: Browser, user: string): Promise<string> {
  const page = await browser.newPage();
  await signInAs(page, user);
  const { user_id } = await me(page);
  await page.close();
  return user_id;
}

/** Renames the user by the API, which accepts any printable name of up to 100 characters. */
async function rename(page: Page, name: string): Promise<() => Promise<void>> {
  const gateway = variable("GATEWAY_URL");
  const own = await me(page);
  const call = async (display_name: string) => {
    const answer = await page.request.patch(`${gateway}/v1/users/${own.user_id}`, {
      headers: { "x-kenri-csrf": "1" },
      data: { display_name },
    });
    expect(answer.status()).toBe(200);
  };
  await call(name);
  return () => call(own.display_name);
}
