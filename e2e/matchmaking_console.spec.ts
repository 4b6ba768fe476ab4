import { expect, type Page, test } from "@playwright/test";
import { addressOf, desk, openConsole, phone, visit } from "./console.ts";
import { type PairedPlayers, pairUp } from "./players.ts";

// A new match is seen at the second refresh at the latest.
const refreshed = { timeout: 15_000 };
const secret = `eu-secret-${Date.now()}`;
let paired: PairedPlayers;

test.beforeAll(async ({ browser }) => {
  paired = await pairUp(browser, { region: secret, rating: 1510 });
});

const drawer = (page: Page) => page.getByRole("dialog");
const find = (page: Page, text: string) =>
  page
    .getByRole("textbox", { name: "Find by any id" })
    .fill(text)
    .then(() => page.keyboard.press("Enter"));

const steps = [
  /Alice Archer joined casual/,
  /Bob Builder joined casual/,
  /Paired/,
  /Published as #\d+/,
  /Consumed by notification/,
  /Alice Archer told/,
  /Bob Builder told/,
  /Announced: notification holds both notices/,
];

test("a match is listed and has all its steps: both players joined, were paired and were told", async ({ page }) => {
  await openConsole(page, "operator", "matchmaking");
  const casual = page.getByRole("region", { name: "Mode casual" });
  await expect(casual).toContainText("Time to match");
  await expect(casual.getByRole("figure", { name: "Matches" })).toContainText(/\d+ made/);
  await expect(casual.getByRole("table")).toContainText("made");
  const row = page.getByRole("button", { name: new RegExp(`open ${paired.matchId}`) });
  await row.click(refreshed);
  await expect(page).toHaveURL(new RegExp(`matchmaking/matches/${paired.matchId}`));
  for (const step of steps) {
    const line = drawer(page).getByRole("listitem").filter({ hasText: step });
    await expect(line, String(step)).toHaveCount(1, refreshed);
    await expect(line, String(step)).not.toContainText("not yet", refreshed);
    await expect(line.locator("time").first()).toBeVisible();
  }
  await expect(drawer(page)).toContainText("Announced");

  await drawer(page).getByRole("listitem").filter({ hasText: "Alice Archer told" }).getByRole("link", { name: "Notification" }).click();
  await expect(page).toHaveURL(/\/notifications\//);
  await drawer(page).getByRole("link", { name: paired.matchId }).click();
  await drawer(page).getByRole("listitem").filter({ hasText: "Bob Builder joined" }).getByRole("link", { name: "Ticket" }).click();
  await expect(drawer(page).getByRole("heading", { name: "Ticket in casual" })).toBeVisible();
  await expect(drawer(page)).toContainText("Matched");
  await expect(drawer(page)).toContainText(secret);
  await expect(drawer(page)).toContainText("Alice Archer");
});

test("a pasted id of a match or a ticket leads there, from the search and from the page", async ({ page }) => {
  await openConsole(page, "viewer");
  await find(page, paired.matchId.toUpperCase());
  await expect(drawer(page).getByRole("heading", { name: "Match in casual" })).toBeVisible();
  await page.keyboard.press("Escape");
  await find(page, paired.bob.ticketId);
  await expect(drawer(page).getByRole("heading", { name: "Ticket in casual" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(/\/admin\/matchmaking$/);

  const field = page.getByRole("textbox", { name: "Look up" });
  await field.fill(paired.alice.userId);
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByRole("heading", { name: "Tickets of Alice Archer" })).toBeVisible();
  await drawer(page)
    .getByRole("link", { name: `Ticket ${paired.alice.ticketId}` })
    .click();
  await expect(drawer(page).getByRole("heading", { name: "Ticket in casual" })).toBeVisible();
  await page.keyboard.press("Escape");

  await field.fill("01890000-0000-7000-8000-00000000dead");
  await page.keyboard.press("Enter");
  const result = page.getByRole("region", { name: "Result" });
  await expect(result).toContainText("Nothing found");
  await result.getByRole("link", { name: "Look for this id everywhere" }).click();
  await expect(page.getByText("Unknown id")).toBeVisible();

  await visit(page, `users/${paired.bob.userId}`);
  await drawer(page).getByRole("link", { name: "Tickets" }).click();
  await expect(drawer(page).getByRole("heading", { name: "Tickets of Bob Builder" })).toBeVisible();
});

test("a viewer sees who plays, but neither the attributes nor the session", async ({ page }) => {
  await openConsole(page, "viewer");
  await visit(page, `matchmaking/tickets/${paired.alice.ticketId}`);
  await expect(drawer(page)).toContainText("Attributes are masked for your role.");
  await expect(drawer(page)).toContainText(paired.alice.userId);
  await expect(drawer(page)).toContainText('"region": "•••"');
  await expect(drawer(page)).not.toContainText(secret);
  for (const path of [`tickets/${paired.alice.ticketId}`, `players/${paired.alice.userId}/tickets`, `matches/${paired.matchId}`]) {
    const answer = await page.request.get(addressOf(`api/matchmaking/${path}`));
    expect(answer.status()).toBe(200);
    const text = await answer.text();
    expect(text).not.toContain(secret);
    expect(text).toContain('"session":"•••"');
  }
});

test("the lists are limited to a mode by the address", async ({ page }) => {
  await openConsole(page, "viewer", "matchmaking?mode=rank");
  const matches = page.getByRole("region", { name: "Recent matches" });
  await expect(matches.getByRole("button", { name: new RegExp(`open ${paired.matchId}`) })).toHaveCount(0);
  await page.getByLabel("Mode", { exact: true }).selectOption("casual");
  await expect(page).toHaveURL(/mode=casual/);
  await expect(matches.getByRole("button", { name: new RegExp(`open ${paired.matchId}`) })).toBeVisible(refreshed);
  await page.getByRole("link", { name: "Invalid tickets" }).click();
  await expect(page).toHaveURL(/mode=casual&list=INVALID/);
  await expect(page.getByText("No invalid tickets in casual")).toBeVisible();
  await page.getByRole("button", { name: "Show all modes" }).click();
  await expect(page).toHaveURL(/matchmaking\?list=INVALID$/);
});

test("the page is reached and used by keyboard alone, and the focus returns to the row", async ({ page }) => {
  await openConsole(page, "viewer");
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(page.getByRole("heading", { name: "Matchmaking", level: 1 })).toBeVisible();
  const row = page.getByRole("button", { name: new RegExp(`open ${paired.matchId}`) });
  await row.focus();
  await page.keyboard.press("Enter");
  await expect(drawer(page).getByRole("heading", { name: "Match in casual" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(drawer(page)).toHaveCount(0);
  await expect(row).toBeFocused();
});

test("a backlog of matches looks like trouble: in the headline, in the badge and on the page, with what to do", async ({ page }) => {
  await page.route("**/admin/api/matchmaking/queues", async route => {
    const answer = (await (await route.fetch()).json()) as { queues: { mode: string; minutes: { invalid: number }[] }[] };
    const queues = answer.queues.map(queue =>
      queue.mode === "casual"
        ? {
            ...queue,
            unpublished: 27,
            oldest_unpublished_seconds: 312,
            minutes: queue.minutes.map((minute, n) => (n === 40 ? { ...minute, invalid: 3 } : minute)),
          }
        : queue,
    );
    await route.fulfill({ json: { ...answer, queues } });
  });
  await page.route("**/admin/api/matchmaking/ended-tickets?*", route =>
    route.fulfill({
      json: {
        tickets: [
          {
            ticket_id: "01890000-0000-7000-8000-00000000beef",
            user_id: null,
            mode: "casual",
            status: "INVALID",
            why: "the queue has it, but there is no such ticket",
            joined_at: null,
            ended_at: new Date().toISOString(),
            waited_seconds: null,
          },
        ],
      },
    }),
  );
  await openConsole(page, "viewer");
  const headline = page.getByRole("region", { name: "State of the system" });
  await expect(headline).toContainText("27 matches are not published, the oldest for 5 m 12 s: needs attention", refreshed);
  await expect(headline).toContainText("3 tickets became invalid in the last hour: needs attention");
  await expect(page.getByRole("link", { name: /^Matchmaking ?30 need attention/ })).toBeVisible();
  await headline.getByRole("link", { name: "Show matchmaking" }).first().click();
  const attention = page.getByRole("region", { name: "Needs attention" });
  await expect(attention).toContainText("Check the relay of matchmaking");
  await page.getByRole("link", { name: /^Invalid tickets ?3/ }).click();
  await page.setViewportSize(phone);
  await expect.poll(() => page.evaluate("document.documentElement.scrollWidth")).toBe(phone.width);
  await page.setViewportSize(desk);
  const row = page.getByRole("row").filter({ hasText: "the queue has it, but there is no such ticket" });
  await expect(row).toContainText("unknown");
  await row.getByRole("button").first().click();
  await expect(drawer(page).getByRole("alert")).toContainText("TICKET_NOT_FOUND");
});

test("matchmaking that does not answer is said once, and the rest of the page still works", async ({ page }) => {
  await page.route("**/admin/api/matchmaking/queues", route =>
    route.fulfill({ status: 503, json: { code: "UNAVAILABLE", detail: "Redis does not answer" } }),
  );
  await openConsole(page, "viewer", "matchmaking");
  await expect(page.getByRole("alert").filter({ hasText: "The queues cannot be shown." })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("button", { name: new RegExp(`open ${paired.matchId}`) })).toBeVisible();
  await visit(page, "");
  await expect(page.getByRole("region", { name: "State of the system" })).toContainText("The queues of matchmaking cannot be read", {
    timeout: 20_000,
  });
});
