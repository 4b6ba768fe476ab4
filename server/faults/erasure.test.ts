import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../../stack/wait.ts";
import type { Redis } from "../kernel/redis/redis.ts";
import { type Person, signedIn } from "../testing/browser.ts";
import { drained } from "../testing/consistency.ts";
import { testServer } from "../testing/databases.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri, testNats } from "../testing/kenri.ts";
import { whereNamed } from "../testing/personal_data.ts";
import { testRedis } from "../testing/redis.ts";
import { privateServers } from "../testing/servers.ts";
import { putOnStream, withNats } from "../testing/stream.ts";

interface Erasure {
  readonly pseudonym: string;
  readonly state: string;
  readonly systems: Record<string, { readonly state: string; readonly waiting_for: string[]; readonly changed: Record<string, number> }>;
}

const apis = "account:api entitlement:api entitlement:relay notification:api notification:consumer notification:sender orders:api";
const janitors = "entitlement:janitor notification:janitor orders:janitor";
let kenri: TestKenri;
let gateway: TestGateway;
let redis: Redis;
let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let janitor: TestProcess;
const processes: TestProcess[] = [];
const people: Record<string, Person> = {};

beforeAll(async () => {
  // A Redis of its own: every key is searched.
  servers = await privateServers("redis");
  const redisUrl = servers.redis.url;
  const settings = { NOTIFICATION_MAX_ATTEMPTS: "1", SESSION_FRESH: "0ms" };
  kenri = await testKenri(settings, { postgresUrl: testServer(), natsUrl: testNats(), redisUrl });
  const place = await gatewayPlace();
  processes.push(await kenri.start(`${apis} matchmaking:api matchmaking:matcher matchmaking:relay`, place.forServices));
  gateway = await startGateway(kenri, place, { REDIS_URL: redisUrl });
  processes.push(gateway.process);
  redis = await testRedis(redisUrl);
  for (const name of ["alice", "bob", "admin"]) await signIn(name);
}, 60_000);
afterAll(async () => {
  await kenri.close();
  await redis.stop();
  await servers.stop();
});

async function signIn(name: string): Promise<Person> {
  people[name] = await signedIn(gateway, name);
  return people[name];
}
async function send<T>(name: string, method: string, path: string, body?: unknown, status = 200): Promise<T> {
  const person = people[name]!;
  const answer = await (method === "GET" ? person.fetch(`${gateway.url}${path}`) : person.send(gateway.url, method, path, body));
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
async function startJanitors(environment: Record<string, string> = {}): Promise<TestProcess> {
  janitor = await kenri.start(janitors, environment);
  processes.push(janitor);
  return janitor;
}
const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const erase = (userId: string, name = "admin") =>
  send<{ pseudonym: string; requested: boolean }>(name, "POST", `/admin/api/users/${userId}/erase`, { reason: "asked by mail" });
const erasureOf = (id: string) => send<Erasure>("admin", "GET", `/admin/api/erasures/${id}`);
const saysOf = async (id: string, system: string) => (await erasureOf(id)).systems[system];
async function isDone(pseudonym: string): Promise<Erasure> {
  await until(`${pseudonym} is done`, 30_000, async () => (await erasureOf(pseudonym)).state === "DONE");
  return erasureOf(pseudonym);
}
/** The places that the document names as kept. */
const kept = [...readFileSync("docs/privacy.md", "utf8").matchAll(/^\| `([^`]+)` +\| kept/gm)].map(match => match[1]!);
const isKept = (place: string) => kept.includes(place);

async function brokenInvariants(): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const system of ["entitlement", "notification"] as const) {
    const { invariants } = (await (await kenri.call(system, "/ops/consistency")).json()) as {
      invariants: { name: string; state: string }[];
    };
    found.push(...invariants.filter(({ state }) => state === "broken"));
  }
  return found;
}

test("an erased user is found in no table, message, key or log but where the documents say so; others are untouched", async () => {
  const [alice, bob] = [people.alice!, people.bob!];
  const email = "alice@example.test";
  // A client may take the user id into its key.
  const keyOfAlice = `first-${alice.userId}`;
  await send("alice", "PATCH", `/v1/users/${alice.userId}`, { display_name: "Alice A.", locale: "ja-JP" });
  // A match with bob, and an ended ticket.
  for (const name of ["alice", "bob"])
    await send(name, "POST", "/v1/matchmaking/queues/casual/tickets", { idempotency_key: `${name}-1`, party_size: 1, attributes: {} });
  const noticesOf = (user: string) =>
    kenri.notificationSql`select payload from notifications where user_id = ${user} and type = 'MatchFound' and status = 'SENT'`;
  await until(
    "both players are told",
    20_000,
    async () => (await noticesOf(alice.userId)).length + (await noticesOf(bob.userId)).length === 2,
  );
  await send("alice", "POST", "/v1/matchmaking/queues/casual/tickets", { idempotency_key: "alice-2", party_size: 1, attributes: {} });
  // Alice was an operator: she granted to bob, and paused a role.
  await send("admin", "PUT", `/admin/api/users/${alice.userId}/roles`, { roles: ["OPERATOR"], reason: "helps" });
  const granted = await alice.fetch(`${gateway.url}/admin/api/entitlement/users/${bob.userId}/grants`, {
    method: "POST",
    headers: { "x-kenri-csrf": "1", "content-type": "application/json", "idempotency-key": "by-alice" },
    body: JSON.stringify({ stock_keeping_unit: "gift", purchase_id: "ticket-7", reason: "lost" }),
  });
  expect(granted.status).toBe(200);
  await send("alice", "POST", "/admin/api/orders/roles/sender/pause", { reason: `ask ${email}` });
  // Changes of entitlements; purchases name the address.
  await kenri.grant(alice.userId, "gold", { purchase: `order of ${email}`, key: keyOfAlice });
  await kenri.revoke(alice.userId, "gold");
  await kenri.grant(bob.userId, "gold");
  // A notification fails, and an operator requeues it.
  const faults = (user_prefix: string) => kenri.call("notification", "/debug/faults", { ...post({ user_prefix }), method: "PUT" });
  await faults(alice.userId);
  const failed = () =>
    kenri.notificationSql<
      { id: string }[]
    >`select notification_id as id from notifications where status = 'FAILED' and user_id = ${alice.userId}`;
  // The workers get the order a moment later.
  let items = 1;
  await until("one fails", 20_000, async () => {
    await kenri.grant(alice.userId, `silver-${items++}`);
    return (await failed()).length > 0;
  });
  await faults("nobody");
  const [{ id } = { id: "" }] = await failed();
  const requeue = { reason: `for ${alice.userId}, ${email}` };
  expect((await kenri.call("notification", `/ops/notifications/${id}/requeue`, post(requeue))).status).toBe(200);
  await drained(kenri);
  const before = await whereNamed(kenri, redis, processes, alice.userId, [email]);
  expect(before.length).toBeGreaterThan(15);
  const bobsEntitlements = await kenri.entitlementSql`select * from entitlements where user_id = ${bob.userId}`;

  // Two admins at once get one erasure. Before it is done, nobody can restore the user, and the user is signed out.
  const [one, two] = await Promise.all([erase(alice.userId), erase(alice.userId)]);
  expect([one.pseudonym, one.requested !== two.requested]).toEqual([two.pseudonym, true]);
  await send("admin", "POST", `/admin/api/users/${alice.userId}/restore`, { reason: "no" }, 409);
  await until("the sessions are ended", 10_000, async () => (await alice.fetch(`${gateway.url}/v1/me`)).status === 401);

  // Janitors that are killed in the middle leave no harm.
  const victim = await startJanitors({ FAULT_KILL_AT: "erasure.stepped" });
  await victim.killedItself();
  await startJanitors();
  const { pseudonym, systems } = await isDone(one.pseudonym);
  expect(Object.keys(systems).sort()).toEqual(["entitlement", "matchmaking", "notification", "orders"]);
  expect(systems.entitlement!.changed).toMatchObject({ entitlements: items, entitlement_audit: items + 2 });

  // Whoever ends her pause copies it into the audit.
  await send("admin", "POST", "/admin/api/orders/roles/sender/resume", { reason: "well again" });
  const after = await whereNamed(kenri, redis, processes, alice.userId, [email]);
  expect(after.filter(place => !isKept(place))).toEqual([]);
  expect(await brokenInvariants()).toEqual([]);

  // What is left joins under the pseudonym; bob has his own.
  const counted = await kenri.entitlementSql`select count(*)::int as n from entitlement_audit where user_id = ${pseudonym}`;
  expect(counted[0]!.n).toBe(items + 1);
  expect((await noticesOf(bob.userId))[0]!.payload.peer_user_ids).toEqual([pseudonym]);
  expect(await kenri.entitlementSql`select * from entitlements where user_id = ${bob.userId}`).toEqual(bobsEntitlements);
  expect(await send("bob", "GET", "/v1/me")).toMatchObject({ user_id: bob.userId, email: "bob@example.test" });
  // The same person is a new user.
  expect((await signIn("alice")).userId).not.toBe(alice.userId);
  // A repeat of an old request makes no new data.
  const repeated = await kenri.grant(alice.userId, "gold", { purchase: `order of ${email}`, key: keyOfAlice });
  expect([repeated.status, ((await repeated.json()) as { code: string }).code]).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT"]);
  expect(await kenri.entitlementSql`select from entitlements where user_id = ${alice.userId}`).toHaveLength(0);
  const [byAlice] =
    await kenri.entitlementSql`select client_id from entitlement_audit where user_id = ${bob.userId} and stock_keeping_unit = 'gift'`;
  expect(byAlice!.client_id).toBe(`user:${pseudonym}`);
}, 120_000);

test("an erasure waits for a FAILED event and says so; a grant meanwhile is erased too; the streams lose nothing else", async () => {
  const bob = people.bob!;
  await kenri.grant("somebody", "else");
  await drained(kenri);
  const stateOf = () => withNats(kenri, async (_, { streams }) => (await streams.info(kenri.environment.ENTITLEMENT_STREAM!)).state);
  const before = await stateOf();
  const [event] = await kenri.entitlementSql<
    { event_id: string }[]
  >`update outbox_events set status = 'FAILED', confirmed_at = null, last_error = 'no'
    where event_id = (select event_id from entitlement_audit where user_id = ${bob.userId} limit 1) returning event_id`;
  const { pseudonym } = await erase(bob.userId);
  await until("entitlement says what it waits for", 10_000, async () =>
    ((await saysOf(pseudonym, "entitlement"))?.waiting_for.join() ?? "").includes(`1 FAILED event(s), such as ${event!.event_id}`),
  );
  expect((await saysOf(pseudonym, "notification"))!.waiting_for).toEqual(["entitlement and matchmaking"]);
  expect((await kenri.grant(bob.userId, "late")).status).toBe(200);
  expect((await kenri.call("entitlement", `/ops/outbox/${event!.event_id}/requeue`, post({ reason: "well again" }))).status).toBe(200);
  await isDone(pseudonym);
  const after = await whereNamed(kenri, redis, processes, bob.userId, ["bob@example.test"]);
  expect(after.filter(place => !isKept(place))).toEqual([]);
  expect(await brokenInvariants()).toEqual([]);
  // The end of the stream never falls, and new events are published and consumed as before.
  expect((await stateOf()).last_seq).toBeGreaterThanOrEqual(before.last_seq);
  expect((await kenri.grant("somebody", "new")).status).toBe(200);
  await drained(kenri);
  expect(await kenri.inbox("somebody")).toHaveLength(2);
}, 120_000);

test("only an ADMIN may erase, nobody themselves, and nobody who is unknown", async () => {
  const { userId } = await signIn("alice");
  await send("alice", "POST", `/admin/api/users/${userId}/erase`, { reason: "r" }, 403);
  await send("admin", "POST", `/admin/api/users/${people.admin!.userId}/erase`, { reason: "r" }, 409);
  await send("admin", "POST", `/admin/api/users/${crypto.randomUUID()}/erase`, { reason: "r" }, 404);
  await send("admin", "POST", `/admin/api/users/${userId}/erase`, { reason: "" }, 400);
  await send("admin", "GET", `/admin/api/erasures/${userId}`, undefined, 404);
  expect(await send("alice", "GET", "/v1/me")).toMatchObject({ user_id: userId, account_status: "ACTIVE" });
});

async function eraseByCommand(user: string): Promise<string> {
  const command = [process.execPath, "server/cli/erase.ts", "--user", user, "--reason", "asked", "--by", "tester", "--wait", "60"];
  const run = Bun.spawn(command, { env: { PATH: process.env.PATH!, ACCOUNT_DATABASE_URL: kenri.environment.ACCOUNT_DATABASE_URL! } });
  const text = await new Response(run.stdout).text();
  expect([await run.exited, text]).toEqual([
    0,
    expect.stringMatching(/the user becomes erased-[\s\S]*entitlement: done[\s\S]*account: done/),
  ]);
  return text;
}

test("grants that race with an erasure are erased or belong to the old id as new data; every pair stays consistent", async () => {
  const skus = ["a", "b", "c", "d"];
  await Promise.all(skus.map(sku => kenri.grant("racer", sku)));
  await drained(kenri);
  // A second janitor of everything works at the same time.
  processes.push(await kenri.start(janitors));
  // A pair rests now and then: while it has events under way, the erasure waits.
  const racing = skus.map(async (sku, index) => {
    for (let n = 0; n < 5; n++) {
      const answer = await (n % 2 === 0 ? kenri.revoke("racer", sku) : kenri.grant("racer", sku));
      expect([200, 409]).toContain(answer.status);
      await Bun.sleep(200 + 150 * index);
    }
  });
  await Promise.all([...racing, eraseByCommand("racer")]);
  await drained(kenri);
  expect(await brokenInvariants()).toEqual([]);
  await eraseByCommand("racer");
  const places = await whereNamed(kenri, redis, [], "racer", []);
  expect(places.filter(place => !isKept(place))).toEqual([]);
  expect(await brokenInvariants()).toEqual([]);
}, 120_000);

test("an unreadable message of the user is waited for; a grant after entitlement was done is erased before the end", async () => {
  await kenri.grant("reader", "gold");
  await drained(kenri);
  await putOnStream(kenri, "no event, but of reader");
  const letters = () => kenri.notificationSql<{ id: string }[]>`select id from notification_nats_dlq where reprocessed_at is null`;
  await until("it is stored", 20_000, async () => (await letters()).length === 1);
  const erasing = eraseByCommand("reader");
  const [{ id } = { id: "" }] = await letters();
  const openErasure = () => kenri.account().sql<{ systems: Erasure["systems"] }[]>`select systems from erasures where user_id = 'reader'`;
  await until("notification waits for it", 20_000, async () =>
    ((await openErasure())[0]?.systems.notification?.waiting_for.join() ?? "").includes(`1 unreadable message(s), such as ${id}`),
  );
  expect((await openErasure())[0]!.systems.entitlement!.state).toBe("DONE");
  expect((await kenri.grant("reader", "gold")).status).toBe(200);
  await until("entitlement erases it too", 20_000, async () => {
    const rows = await kenri.entitlementSql`select from entitlements where user_id like 'erased-%.2' and stock_keeping_unit = 'gold'`;
    return rows.length === 1;
  });
  await send("admin", "POST", `/admin/api/notification/raw-dead-letters/${id}/discard`, { reason: "of no use" });
  await erasing;
  expect((await whereNamed(kenri, redis, [], "reader", [])).filter(place => !isKept(place))).toEqual([]);
  expect(await brokenInvariants()).toEqual([]);
}, 120_000);

test("the command erases a user whom only API clients know, and shows what each system did", async () => {
  await kenri.grant("shop-7", "gold");
  await kenri.grant("shop-77", "gold", { purchase: "gift of shop-7." });
  await drained(kenri);
  expect(await eraseByCommand("shop-7")).toContain("requested: the user becomes erased-");
  const rows = await kenri.entitlementSql<{ user_id: string }[]>`select user_id from entitlements where user_id like 'shop%'`;
  expect(rows.map(row => row.user_id)).toEqual(["shop-77"]);
  expect(await kenri.inbox("shop-77")).toHaveLength(1);
  const [action] = await kenri.account()
    .sql`select actor, reason from operator_actions where action = 'user.erase' order by action_id desc limit 1`;
  expect(action).toEqual({ actor: "cli:tester", reason: "asked" });
}, 90_000);
