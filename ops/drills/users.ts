// What users do during a drill.
import { type TestBrowser, testBrowser } from "../../server/testing/browser.ts";
import type { Stage } from "./stage.ts";

/** Grants an item to a new user. */
export async function grant(stage: Stage, prefix = "drill"): Promise<string> {
  const user = `${prefix}-${crypto.randomUUID()}`;
  const body = { user_id: user, stock_keeping_unit: "sword", reason: "drill", purchase_id: user };
  await stage.call("entitlement", "POST", "/v1/entitlements/grants", body);
  stage.answered.grants.add(user);
  return user;
}

export async function order(stage: Stage): Promise<void> {
  const body = { symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" };
  const { order_id } = (await stage.call("orders", "POST", "/do/order", body)) as { order_id: string };
  stage.answered.orders.add(order_id);
}

/** Demo users of the identity provider. */
const players = ["alice", "bob"];
const browsers = new WeakMap<Stage, Promise<readonly TestBrowser[]>>();

/** Two people who are signed in. */
export function signedIn(stage: Stage): Promise<readonly TestBrowser[]> {
  const known = browsers.get(stage);
  if (known) return known;
  const signing = Promise.all(players.map(name => signIn(stage, name)));
  browsers.set(stage, signing);
  return signing;
}

async function signIn(stage: Stage, name: string): Promise<TestBrowser> {
  const browser = testBrowser();
  const { response } = await browser.signIn(stage.urls.gateway, name);
  if (response.status !== 200) throw new Error(`${name} cannot sign in: ${response.status} ${await response.text()}`);
  return browser;
}

/** A page that a signed-in person opens. */
export async function visit(stage: Stage, path: string): Promise<number> {
  const [browser] = await signedIn(stage);
  return (await browser!.fetch(`${stage.urls.gateway}${path}`, { signal: AbortSignal.timeout(30_000) })).status;
}

/** A player joins a queue. Returns the id of the ticket. */
export async function join(stage: Stage, player: TestBrowser): Promise<string> {
  const body = { party_size: 1, attributes: {}, idempotency_key: crypto.randomUUID() };
  const answer = await player.send(stage.urls.gateway, "POST", "/v1/matchmaking/queues/casual/tickets", body);
  if (!answer.ok) throw new Error(`a player cannot join: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { ticket_id: string }).ticket_id;
}
