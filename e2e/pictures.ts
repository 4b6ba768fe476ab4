import { join } from "node:path";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { addressOf, desk, openBy, openConsole, openersOf, pagesOf, phone, settled, visit } from "./console.ts";
import { grant } from "./people.ts";
import { fakeResponses, states, withOutlier } from "./picture_states.ts";
import { pairUp } from "./players.ts";
import { seed } from "./seed.ts";
import { variable } from "./stack.ts";

const schemes = ["light", "dark"] as const;
const folder = variable("KENRI_PICTURES");
/** Ids in the seeded system. */
type Known = Readonly<
  Record<"journey" | "failed" | "event" | "user" | "key" | "inVain" | "onTheWay" | "order" | "unknownOrder" | "orderKey", string>
>;
const onlyReadme = process.env.KENRI_PICTURES_ONLY === "readme";

test("pictures of the console", async ({ page, browser }) => {
  const known = await seed<Known>("believable");
  await operatorsAct(browser);
  await openConsole(page, "admin");
  if (onlyReadme) return await forReadme(page, known.journey);
  const paired = await pairUp(browser, { region: "eu-west", rating: 1510 });
  const running = await runningOperation(page);
  const deeper = [
    `outbox/${known.event}`,
    "outbox?user_id=nobody",
    `notifications/${known.failed}?status=FAILED`,
    "notifications?status=FAILED",
    `journey/${known.journey}`,
    "journey/nobody",
    "outbox?status=RETRYING",
    "notifications?status=RETRYING",
    "notifications?status=FAILED&sort=attempts",
    `orders/${known.unknownOrder}`,
    `orders/${known.order}?status=aborted`,
    "orders?status=aborted",
    "orders?status=failed",
    "orders?user_id=nobody",
    `journey/${known.order}`,
    `journey/${known.orderKey}`,
    `operations/notification/${running}`,
    `operations/notification/${known.inVain}?outcome=FAILED_AGAIN`,
    `operations/notification/${known.onTheWay}`,
    `entitlements?user=${known.user}`,
    `inbox?user=${known.user}`,
    `idempotency/${known.key}`,
    "failures/unreadable",
    `matchmaking/matches/${paired.matchId}`,
    `matchmaking/tickets/${paired.alice.ticketId}`,
    `matchmaking/players/${paired.bob.userId}`,
    "matchmaking?list=EXPIRED",
    "matchmaking?list=INVALID",
    "matchmaking?find=nobody",
  ];
  for (const path of [...(await pagesOf(page)), ...deeper]) {
    const name =
      path
        .replace(/[/?=]+/g, "-")
        .replace(/-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/, id =>
          id.slice(1) === known.inVain ? "-in-vain" : id.slice(1) === known.onTheWay ? "-on-the-way" : "-one",
        ) || "overview";
    await page.setViewportSize(desk);
    await visit(page, path);
    await shoot(page, name);
    await page.setViewportSize(desk);
    for (const words of await openersOf(page)) {
      await openBy(page, words);
      await shoot(page, `${name}, ${words.replace(/\W+/g, " ").trim().toLowerCase()}`);
      await page.setViewportSize(desk);
      await visit(page, path);
    }
  }
  await page.keyboard.press("?");
  await shoot(page, "keyboard help");
});

test("pictures of rare states: outages, an outlier, and every state of an event", async ({ page }) => {
  test.skip(onlyReadme);
  const journeys = await seed<Record<string, string>>("journeys");
  await openConsole(page, "admin");
  for (const [name, state] of Object.entries(states)) {
    const restore = await fakeResponses(page, state);
    await visit(page, "");
    await shoot(page, `overview, ${name}`);
    if (state.matchmaking) {
      await visit(page, "matchmaking");
      await shoot(page, `matchmaking, ${name}`);
    }
    await restore();
  }
  await withOutlier(page);
  await visit(page, "");
  await page.getByRole("figure", { name: "Change → sent" }).scrollIntoViewIfNeeded();
  await shoot(page, "overview, a latency outlier");
  for (const [name, id] of Object.entries(journeys)) {
    await visit(page, `journey/${id}`);
    await shoot(page, `journey, ${name}`, { fullPage: true });
  }
});

/** Desktop and phone, light and dark. */
async function shoot(page: Page, name: string, { fullPage = false } = {}): Promise<void> {
  for (const [device, size] of [["desk", desk] as const, ["phone", phone] as const]) {
    await page.setViewportSize(size);
    await settledShape(page);
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name} ${device} ${colorScheme}.png`), animations: "disabled", fullPage });
    }
  }
}

/** Waits until the layout fits the new size and the charts are drawn. */
async function settledShape(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

async function forReadme(page: Page, journey: string): Promise<void> {
  const take = async (name: string, colorScheme: (typeof schemes)[number]) => {
    await page.emulateMedia({ colorScheme });
    await settledShape(page);
    await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
  };
  await page.setViewportSize(desk);
  await visit(page, "");
  await take("overview", "light");
  await visit(page, `journey/${journey}`);
  await take("journey", "dark");
  await visit(page, "failures");
  await openBy(page, "Requeue …");
  await page.getByRole("dialog").getByLabel("Reason").fill("The push gateway is well again since 02:40, INC-2231");
  await take("failures", "light");
}

/** Operators act: rows requeued, one discarded, bulk operations done and running. */
async function operatorsAct(browser: Browser): Promise<void> {
  for (const user of ["amelia.okafor", "sven.keller", "priya.rossi"]) await grant(`${user}.${Date.now()}`, "guild-banner");
  const operator = await signedIn(browser, "operator");
  const admin = await signedIn(browser, "admin");
  const [one, two, three] = await operator.failed("notification", "410 Gone");
  await operator.post(`notification/notifications/${one}/requeue`, { reason: "The player registered her new phone, ticket 4471" });
  await admin.post(`notification/notifications/${two ?? three}/discard`, { reason: "Test device of the QA team, nobody waits for it" });
  await operator.bulk("entitlement/outbox", "maximum messages per subject", "The limit of the subject was raised, INC-2230");
  await admin.bulk("notification/notifications", "timed out after", "Arcadia's webhook answers again, INC-2231");
  await operator.close();
  await admin.close();
}

async function signedIn(browser: Browser, user: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await openConsole(page, user);
  const headers = { "x-kenri-csrf": "1" };
  async function post<T>(path: string, data: object): Promise<T> {
    const answer = await page.request.post(addressOf(`api/${path}`), { headers, data });
    expect(answer.status(), await answer.text()).toBeLessThan(300);
    return (await answer.json()) as T;
  }
  return {
    post,
    close: () => context.close(),
    async failed(system: string, error: string): Promise<string[]> {
      const answer = await page.request.get(addressOf(`api/${system}/notifications?status=FAILED&error=${encodeURIComponent(error)}`));
      return ((await answer.json()) as { notifications: { notification_id: string }[] }).notifications.map(row => row.notification_id);
    },
    async bulk(rows: string, error: string, reason: string): Promise<void> {
      const request = { action: "requeue", filter: { status: "FAILED", error } };
      const { set_hash, eligible } = await post<{ set_hash: string; eligible: number }>(`${rows}/bulk/preview`, request);
      await post(`${rows}/bulk`, { ...request, set_hash, expected: eligible, reason });
    },
  };
}

/** Waits until the bulk operation has started. */
async function runningOperation(page: Page): Promise<string> {
  let id = "";
  await expect
    .poll(
      async () => {
        const answer = await page.request.get(addressOf("api/notification/operations"));
        const [operation] = ((await answer.json()) as { operations: { operation_id: string; done: number }[] }).operations;
        id = operation!.operation_id;
        return operation!.done;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);
  await settled(page);
  return id;
}
