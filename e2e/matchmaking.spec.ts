import AxeBuilder from "@axe-core/playwright";
import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";
import { signInAs } from "./people.ts";

const sizes = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const card = (page: Page) => page.getByRole("region", { name: "Find an opponent" });
const find = (page: Page) => card(page).getByRole("button", { name: /^(Find an|Find another) opponent$|^Try again$/ });
const cancel = (page: Page) => card(page).getByRole("button", { name: "Cancel" });
const fact = (page: Page, name: string): Locator => card(page).getByText(name, { exact: true }).locator("xpath=following-sibling::*[1]");
const userIdOn = async (page: Page) => (await page.getByRole("definition").first().textContent()) ?? "";
const lines = (page: Page) => page.getByRole("list").getByRole("listitem");

const contexts: BrowserContext[] = [];
test.afterEach(() => Promise.all(contexts.splice(0).map(context => context.close())));

/** The start page in a browser of its own. */
async function player(browser: Browser, name: string): Promise<Page> {
  const context = await browser.newContext();
  contexts.push(context);
  const page = await context.newPage();
  await signInAs(page, name);
  await expect(page.getByRole("status")).toHaveText("live");
  await expect(find(page)).toBeVisible();
  return page;
}

async function join(page: Page, queue: string, rating?: number): Promise<void> {
  await card(page).getByLabel("Queue").selectOption(queue);
  if (rating !== undefined) await card(page).getByLabel("Your rating").fill(String(rating));
  await find(page).click();
}

test("alice and bob find each other: both pages show the match, and one notification each, also after a reload", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  const [hers, his] = [await lines(alice).count(), await lines(bob).count()];
  await join(alice, "casual");
  await expect(card(alice)).toContainText("Looking for an opponent in casual");
  await expect(fact(alice, "Ahead of you")).toHaveText("nobody");
  await expect(cancel(alice)).toBeFocused();
  await join(bob, "casual");
  for (const [page, peer] of [
    [alice, await userIdOn(bob)],
    [bob, await userIdOn(alice)],
  ] as const) {
    await expect(card(page)).toContainText("Match found: you play against", { timeout: 3000 });
    await expect(fact(page, "Opponent")).toHaveText(peer);
    await expect(fact(page, "Mode")).toHaveText("casual");
    await expect(lines(page).first()).toContainText(`Match found in casual against ${peer.slice(0, 8)}…${peer.slice(-4)}.`);
  }
  for (const name of ["Match", "Session"]) {
    const value = (await fact(alice, name).textContent()) ?? "";
    expect(value).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await expect(fact(bob, name)).toHaveText(value);
  }
  await alice.reload();
  await expect(alice.getByRole("status")).toHaveText("live");
  await expect(card(alice)).toContainText("Match found");
  await expect(lines(alice)).toHaveCount(hers + 1);
  await expect(lines(bob)).toHaveCount(his + 1);
});

test("a player who cancels is not matched; a reload keeps the search; both players can search again", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  await join(alice, "casual");
  await expect(cancel(alice)).toBeVisible();
  await alice.reload();
  await expect(card(alice)).toContainText("Looking for an opponent in casual");
  await expect(fact(alice, "Search ends in")).toHaveText(/^[345]\d s$/);
  await cancel(alice).click();
  await expect(card(alice)).toContainText("The search was cancelled.");
  await join(bob, "casual");
  await expect(fact(bob, "Waiting for")).toHaveText(/^([3-9]|\d\d) s$/);
  await expect(card(bob)).toContainText("Looking for an opponent");
  await join(alice, "casual");
  for (const page of [alice, bob]) await expect(card(page)).toContainText("Match found");
});

test("the match arrives by the stream alone, and by reading the ticket alone", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  await alice.route("**/v1/matchmaking/tickets/*", route => route.abort());
  await bob.route("**/v1/me/notifications/stream*", route => route.abort());
  await bob.reload();
  await join(bob, "casual");
  await expect(cancel(bob)).toBeVisible();
  await join(alice, "casual");
  for (const page of [alice, bob]) await expect(card(page)).toContainText("Match found");
  await expect(bob.getByRole("status")).not.toHaveText("live");
});

test("a match that arrives before the response of the join stays", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  await join(bob, "casual");
  await expect(cancel(bob)).toBeVisible();
  await alice.route("**/v1/matchmaking/queues/casual/tickets", async route => {
    const response = await route.fetch();
    expect((await response.json()).status).toBe("QUEUED");
    await expect(card(alice)).toContainText("Match found");
    await route.fulfill({ response });
  });
  await join(alice, "casual");
  await expect(card(alice)).toContainText("Match found");
  await expect(card(alice)).not.toHaveAttribute("aria-busy");
  await expect(card(alice)).toContainText("Match found", { timeout: 100 });
});

test("players of similar rating find each other; the form asks for the rating", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  await card(alice).getByLabel("Queue").selectOption("rank");
  await find(alice).click();
  await expect(card(alice).getByLabel("Your rating")).toBeFocused(); // the browser says that it is missing
  await join(alice, "rank", 1500);
  await join(bob, "rank", 1510.5);
  for (const page of [alice, bob]) await expect(fact(page, "Mode")).toHaveText("rank");
});

test("a second tab shows the live search; the match arrives in both", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  const second = await alice.context().newPage();
  await second.goto(alice.url());
  await expect(find(second)).toBeVisible();
  await join(alice, "casual");
  await expect(cancel(alice)).toBeVisible();
  await join(second, "casual"); // it is refused, because alice waits already
  await expect(card(second)).toContainText("Looking for an opponent in casual");
  await join(bob, "casual");
  for (const page of [alice, second, bob]) await expect(card(page)).toContainText("Match found");
});

test("a search that finds nobody ends, and can be tried again", async ({ browser }) => {
  const alice = await player(browser, "alice");
  for (let n = 0; n < 2; n++) {
    await join(alice, "short");
    await expect(cancel(alice)).toBeVisible();
    await expect(card(alice)).toContainText("Nobody was found in 2 s.", { timeout: 10_000 });
    await expect(find(alice)).toHaveText("Try again");
  }
});

test("a join whose response is lost is repeated with the same key, and gets the same ticket", async ({ browser }) => {
  const alice = await player(browser, "alice");
  const sent: { idempotency_key: string }[] = [];
  const tickets: string[] = [];
  await alice.route("**/v1/matchmaking/queues/casual/tickets", async route => {
    sent.push(route.request().postDataJSON());
    const response = await route.fetch();
    tickets.push((await response.json()).ticket_id);
    return sent.length === 1 ? route.abort() : route.fulfill({ response });
  });
  await join(alice, "casual");
  await expect(card(alice).getByRole("alert")).toContainText("The server cannot be reached.");
  await find(alice).click();
  await expect(cancel(alice)).toBeVisible();
  await expect(card(alice).getByRole("alert")).toBeHidden();
  expect([sent[1], tickets[1]]).toEqual([sent[0], tickets[0]]);
  await cancel(alice).click();
  await find(alice).click();
  await expect(cancel(alice)).toBeVisible();
  expect(sent[2]!.idempotency_key).not.toBe(sent[0]!.idempotency_key);
  await cancel(alice).click();
  await expect(find(alice)).toBeVisible();
});

test("while matchmaking is away the card says so and offers a retry, and the rest of the page works", async ({ page }) => {
  const away = { json: { code: "UNAVAILABLE", detail: "matchmaking: Redis is away" }, status: 503, headers: { "retry-after": "1" } };
  await page.route("**/v1/matchmaking/**", route => route.fulfill(away));
  await signInAs(page, "alice");
  await expect(page.getByRole("status")).toHaveText("live");
  await expect(card(page).getByRole("alert")).toHaveText(
    "Matchmaking is not available now. Try again in a moment. The rest of this page works.",
  );
  await page.unroute("**/v1/matchmaking/**");
  await card(page).getByRole("button", { name: "Retry" }).click();
  await expect(card(page).getByRole("alert")).toBeHidden();
  await join(page, "casual");
  await expect(cancel(page)).toBeVisible();
  await page.route("**/v1/matchmaking/**", route => route.fulfill(away));
  await expect(card(page).getByRole("alert")).toContainText("You may still be in the queue.");
  await cancel(page).click();
  await expect(card(page).getByRole("alert")).toContainText("Matchmaking is not available now.");
  await page.unroute("**/v1/matchmaking/**");
  await cancel(page).click();
  await expect(card(page)).toContainText("The search was cancelled.");
  await expect(card(page).getByRole("alert")).toBeHidden();
});

test("too many joins: the card says when to try again", async ({ page }) => {
  await page.route("**/v1/matchmaking/queues/casual/tickets", route =>
    route.fulfill({ status: 429, json: { code: "RATE_LIMITED", detail: "over the limit" }, headers: { "retry-after": "7" } }),
  );
  await signInAs(page, "alice");
  await join(page, "casual");
  await expect(card(page).getByRole("alert")).toHaveText("That was too often. Try again in 7 s.");
});

test("a ticket that the store lost is joined again with its key", async ({ page }) => {
  const keys: string[] = [];
  page.on("request", request => {
    if (request.method() === "POST" && request.url().endsWith("/casual/tickets")) keys.push(request.postDataJSON().idempotency_key);
  });
  await hurry(page);
  await signInAs(page, "alice");
  await join(page, "casual");
  await expect(cancel(page)).toBeVisible();
  const lost = { status: 404, json: { code: "TICKET_LOST", detail: "the store lost it" } };
  await page.route("**/v1/matchmaking/tickets/*", route => route.fulfill(lost));
  await expect(card(page).getByRole("alert")).toHaveText("Matchmaking lost your place in the queue. Join again.");
  await page.unroute("**/v1/matchmaking/tickets/*");
  await find(page).click();
  await expect(cancel(page)).toBeVisible();
  expect(keys).toEqual([keys[0], keys[0]]);
  await cancel(page).click();
  await expect(find(page)).toBeVisible();
});

const madeUp = {
  status: "MATCHED",
  match_id: "01890000-0000-7000-8000-00000000beef",
  peer_user_ids: ["01890000-0000-7000-8000-00000000cafe"],
  session: "0189a000-0000-4000-8000-00000000beef",
};

/** Reading a ticket answers the real one with these changes. */
async function changeTickets(page: Page, changes: () => object): Promise<void> {
  await page.route("**/v1/matchmaking/tickets/*", async route => {
    if (route.request().method() !== "GET") return route.continue();
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...changes() } });
  });
}

/** Timers of the page run five times as fast, so that a test does not wait for its next look at the ticket. */
const hurry = (page: Page) =>
  page.addInitScript("const real = setTimeout; window.setTimeout = (work, after, ...given) => real(work, after / 5, ...given);");

/** The real ticket still waits, and other tests need an empty queue. */
async function leaveQueue(page: Page): Promise<void> {
  await page.unroute("**/v1/matchmaking/tickets/*");
  await page.reload();
  await cancel(page).click();
  await expect(card(page)).toContainText("The search was cancelled.");
}

test("a match that becomes void: the card shows the search again, or that it has ended", async ({ page }) => {
  let changes: object = madeUp;
  await hurry(page);
  await signInAs(page, "alice");
  await changeTickets(page, () => changes);
  await join(page, "casual");
  await expect(card(page)).toContainText("Match found: you play against");
  await expect(find(page)).toHaveText("Find another opponent");
  changes = {};
  await expect(card(page)).toContainText("The match did not take place. Looking for an opponent in casual");
  await expect(cancel(page)).toBeVisible();
  changes = madeUp;
  await expect(card(page)).toContainText("Match found: you play against");
  changes = { status: "EXPIRED", joined_at: null, expires_at: null };
  await expect(card(page)).toContainText("Nobody was found in time.");
  await expect(card(page)).not.toContainText("NaN");
  await leaveQueue(page);
});

test("an invalid ticket without times says why it ended", async ({ page }) => {
  await hurry(page);
  await signInAs(page, "alice");
  await changeTickets(page, () => ({ status: "INVALID", why: "a field is missing", joined_at: null, expires_at: null }));
  await join(page, "casual");
  await expect(card(page)).toContainText("The search has ended: a field is missing.");
  await expect(card(page)).not.toContainText("NaN");
  await leaveQueue(page);
});

test("a matched ticket that the store lost is joined again with its key", async ({ page }) => {
  const keys: string[] = [];
  page.on("request", request => {
    if (request.method() === "POST" && request.url().endsWith("/casual/tickets")) keys.push(request.postDataJSON().idempotency_key);
  });
  await hurry(page);
  await signInAs(page, "alice");
  await changeTickets(page, () => madeUp);
  await join(page, "casual");
  await expect(card(page)).toContainText("Match found");
  await page.route("**/v1/matchmaking/tickets/*", route => route.fulfill({ status: 404, json: { code: "TICKET_LOST" } }));
  await expect(card(page).getByRole("alert")).toHaveText("Matchmaking lost your place in the queue. Join again.");
  await page.unroute("**/v1/matchmaking/tickets/*"); // the ticket of the next join is not lost
  await find(page).click();
  await expect(cancel(page)).toBeVisible();
  expect(keys).toEqual([keys[0], keys[0]]);
  await leaveQueue(page);
});

/** How often this page has asked for a ticket. */
function readsOf(page: Page): () => Promise<number> {
  let reads = 0;
  page.on("request", request => {
    if (/\/v1\/matchmaking\/tickets\/[^/]+$/.test(request.url())) reads++;
  });
  // The requests of a page are reported in their order, so all earlier ones are counted.
  return async () => {
    await page.evaluate("fetch('/livez').then(response => response.text())");
    return reads;
  };
}

test("a matched ticket is not read again after its notification, also after a reload", async ({ browser }) => {
  const [alice, bob] = [await player(browser, "alice"), await player(browser, "bob")];
  const count = await lines(alice).count();
  const reads = readsOf(alice);
  await alice.clock.install();
  await alice.reload();
  await join(alice, "casual");
  await expect(cancel(alice)).toBeVisible();
  await join(bob, "casual");
  await expect(lines(alice)).toHaveCount(count + 1);
  for (const again of [false, true]) {
    if (again) await alice.reload();
    await expect(lines(alice)).toHaveCount(count + 1);
    await expect(card(alice)).toContainText("Match found");
    const before = await reads();
    await alice.clock.runFor(10_000);
    expect(await reads()).toBe(before);
  }
});

test("a matched ticket whose notification does not come is read for 30 s", async ({ page }) => {
  const reads = readsOf(page);
  await signInAs(page, "alice");
  await changeTickets(page, () => madeUp);
  await page.clock.install();
  await page.reload();
  await join(page, "casual");
  await expect(card(page)).toContainText("Match found");
  const first = await reads();
  await expect.poll(reads).toBeGreaterThan(first);
  await page.clock.fastForward(30_000);
  const last = await reads();
  await page.clock.runFor(10_000);
  expect(await reads()).toBe(last);
  await leaveQueue(page);
});

// Each size and each theme once: the check of accessibility needs seconds.
const looks = [
  ["desk", "light"],
  ["phone", "dark"],
] as const;
for (const [name, colorScheme] of looks) {
  test.describe(`${name}, ${colorScheme}`, () => {
    test.use({ viewport: sizes[name], colorScheme });

    test("every state of the card fits, and is accessible", async ({ page, browser }) => {
      test.slow(); // the check of accessibility needs seconds on a busy machine
      const isFine = async (state: string) => {
        expect([state, await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")]).toEqual([state, true]);
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect([state, violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)]).toEqual([state, []]);
      };
      await signInAs(page, "alice");
      await card(page).getByLabel("Queue").selectOption("rank");
      await card(page).getByLabel("Your rating").fill("1500");
      await isFine("form");
      await find(page).click();
      await expect(cancel(page)).toBeVisible();
      await isFine("waiting");
      await cancel(page).click();
      await expect(find(page)).toBeVisible();
      await isFine("cancelled");
      await join(page, "casual");
      const bob = await player(browser, "bob");
      await join(bob, "casual");
      await expect(card(page)).toContainText("Match found");
      await isFine("matched");
      await page.route("**/v1/matchmaking/**", route => route.fulfill({ status: 502, json: { code: "MATCHMAKING_BAD_GATEWAY" } }));
      await page.reload();
      await expect(card(page).getByRole("button", { name: "Retry" })).toBeVisible();
      await isFine("away");
    });
  });
}
