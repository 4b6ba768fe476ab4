import { type APIRequestContext, type Browser, expect } from "@playwright/test";
import { signInAs } from "./people.ts";
import { variable } from "./stack.ts";

const gateway = variable("GATEWAY_URL");
const headers = { "x-kenri-csrf": "1" };

interface Ticket {
  readonly ticket_id: string;
  readonly status: string;
  readonly match_id?: string;
}

export interface Player {
  readonly userId: string;
  readonly ticketId: string;
}

export interface PairedPlayers {
  readonly matchId: string;
  readonly alice: Player;
  readonly bob: Player;
}

/** A user who is signed in in a browser of their own. */
async function playerOf(browser: Browser, user: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await signInAs(page, user);
  const { user_id: userId } = (await (await page.request.get(`${gateway}/v1/me`)).json()) as { user_id: string };
  return { userId, api: page.request, close: () => context.close() };
}

/** Joins a queue by the API. A ticket that another test left there is cancelled first. */
async function join(api: APIRequestContext, mode: string, attributes: object): Promise<string> {
  const { tickets } = (await (await api.get(`${gateway}/v1/matchmaking/tickets`)).json()) as { tickets: Ticket[] };
  for (const { ticket_id, status } of tickets)
    if (status === "QUEUED") await api.delete(`${gateway}/v1/matchmaking/tickets/${ticket_id}`, { headers });
  const data = { party_size: 1, attributes, idempotency_key: crypto.randomUUID() };
  const answer = await api.post(`${gateway}/v1/matchmaking/queues/${mode}/tickets`, { headers, data });
  expect(answer.status(), await answer.text()).toBe(200);
  return ((await answer.json()) as Ticket).ticket_id;
}

/** Alice and Bob join the same queue and are paired. */
export async function pairUp(browser: Browser, attributes: object = {}, mode = "casual"): Promise<PairedPlayers> {
  const [alice, bob] = [await playerOf(browser, "alice"), await playerOf(browser, "bob")];
  const tickets = { alice: await join(alice.api, mode, attributes), bob: await join(bob.api, mode, attributes) };
  let matchId: string | undefined;
  await expect
    .poll(
      async () => {
        const answer = await alice.api.get(`${gateway}/v1/matchmaking/tickets/${tickets.alice}`);
        const ticket = (await answer.json()) as Ticket;
        matchId = ticket.match_id;
        return ticket.status;
      },
      { timeout: 10_000 },
    )
    .toBe("MATCHED");
  await Promise.all([alice.close(), bob.close()]);
  return {
    matchId: matchId!,
    alice: { userId: alice.userId, ticketId: tickets.alice },
    bob: { userId: bob.userId, ticketId: tickets.bob },
  };
}
