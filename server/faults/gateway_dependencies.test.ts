import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { becomes, until } from "../../stack/wait.ts";
import { type Person, type TestBrowser, testBrowser } from "../testing/browser.ts";
import { freePort, gatewayPlace, startGateway, type TestGateway } from "../testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";

// Well above the time of a healthy service on a busy machine, whose responses must not count as late.
const deadline = 1000;
/** A response that takes longer than the deadline and some time for a busy machine counts as hanging. */
const slow = 4000;

let servers: Awaited<ReturnType<typeof privateServers<"redis" | "idp">>>;
let kenri: TestKenri;
let gateway: TestGateway;
let alice: Person;
const services = new Map<string, { process: TestProcess; port: string }>();
const environment: Record<string, string> = {};

beforeAll(async () => {
  servers = await privateServers("redis", "idp");
  kenri = await testKenri();
  const place = await gatewayPlace();
  Object.assign(environment, place.forServices);
  for (const system of ["account", "entitlement", "notification"]) await startService(system);
  gateway = await startGateway(kenri, place, settings());
  const browser = testBrowser();
  await until("alice is signed in", 20_000, async () => (await browser.signIn(gateway.url, "alice")).response.status === 200);
  const { user_id: userId } = (await (await browser.fetch(`${gateway.url}/v1/me`)).json()) as { user_id: string };
  alice = Object.assign(browser, { userId });
});
/** Repairs what a failed test left stopped. */
afterEach(() => {
  for (const { process } of services.values()) process.kill("SIGCONT");
});
afterAll(async () => {
  await kenri.close();
  await servers.stop();
});

const settings = () => ({
  GATEWAY_DEADLINE: `${deadline}ms`,
  REDIS_DEADLINE: "500ms",
  REDIS_URL: servers.redis.url,
  OIDC_ISSUER: servers.idp.issuer,
  OIDC_CHECK_EVERY: "300ms",
  OIDC_CLIENT_ID: servers.idp.clientId,
  OIDC_CLIENT_SECRET: servers.idp.clientSecret,
});

/** At the port it had before, as in a deployment. */
async function startService(system: string): Promise<void> {
  const port = services.get(system)?.port ?? String(await freePort());
  const process = await kenri.start(`${system}:api`, { ...environment, [`${system.toUpperCase()}_PORT`]: port });
  services.set(system, { process, port });
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly took: number;
}

async function ask(path: string, browser: TestBrowser = alice): Promise<Answer> {
  const since = performance.now();
  const response = await browser.fetch(`${gateway.url}${path}`);
  const body = (await response.json().catch(() => ({}))) as { code?: string };
  return { status: response.status, code: body.code, took: performance.now() - since };
}

/** Several clients that send requests without a pause, with all their responses. */
function load(paths: readonly string[]) {
  const answers: Answer[] = [];
  let stopping = false;
  const client = async (path: string) => {
    while (!stopping) {
      answers.push(await ask(path));
      await becomes(20, () => stopping, 20);
    }
  };
  const clients = Promise.all(paths.flatMap(path => [client(path), client(path)]));
  return {
    answers,
    async stop() {
      stopping = true;
      await clients;
      return answers;
    },
  };
}

const me = "/v1/me";
const account = () => `/v1/users/${alice.userId}`;
const profile = () => `/v1/users/${alice.userId}/profile`;
const until200 = (path: string) => until(`${path} is healthy again`, 10_000, async () => (await ask(path)).status === 200);

/** Meanwhile every response of these paths is fast, and is 200 or has one of the codes. */
async function meanwhile(
  paths: readonly string[],
  codes: readonly string[],
  fault: () => Promise<void> | void,
  counts: (answer: Answer) => boolean = () => true,
): Promise<void> {
  const traffic = load(paths);
  await until("all is healthy before", 10_000, () => traffic.answers.filter(one => one.status === 200).length >= 10);
  await fault();
  await until(`it answers ${codes[0]}`, 15_000, () => traffic.answers.filter(one => one.code === codes[0] && counts(one)).length >= 10);
  const answers = await traffic.stop();
  expect(answers.filter(one => one.status !== 200 && !codes.includes(one.code ?? ""))).toEqual([]);
  expect(Math.max(...answers.map(one => one.took))).toBeLessThan(slow);
}

test("account killed under load: 502 with its code at once; sessions still work; it recovers by itself", async () => {
  await meanwhile([account(), profile(), me], ["ACCOUNT_BAD_GATEWAY"], () => services.get("account")!.process.kill("SIGKILL"));
  expect((await ask(me)).status).toBe(200);
  await startService("account");
  await until200(account());
  await until200(profile());
});

test("account stopped under load: 504 with its code, soon without waiting; it recovers by itself", async () => {
  const { process } = services.get("account")!;
  // With the breaker open most responses no longer wait for the deadline.
  await meanwhile(
    [account(), profile()],
    ["ACCOUNT_TIMEOUT"],
    () => process.kill("SIGSTOP"),
    one => one.took < deadline / 2,
  );
  process.kill("SIGCONT");
  await until200(account());
});

test("entitlement killed, then stopped, under load: 502 and 504 with its code; the account alone is still served", async () => {
  await meanwhile([profile()], ["ENTITLEMENT_BAD_GATEWAY"], () => services.get("entitlement")!.process.kill("SIGKILL"));
  expect((await ask(`${profile()}?fields=account`)).status).toBe(200);
  await startService("entitlement");
  await until200(profile());
  const { process } = services.get("entitlement")!;
  await meanwhile([profile()], ["ENTITLEMENT_TIMEOUT"], () => process.kill("SIGSTOP"));
  process.kill("SIGCONT");
  await until200(profile());
});

/** What the gateway misses, by its health port. */
async function degraded(): Promise<Record<string, string>> {
  const health = await gateway.process.healthUrl();
  return ((await (await fetch(`${health}/readyz`)).json()) as { degraded?: Record<string, string> }).degraded ?? {};
}

test("Redis killed, then stopped, under load: 503 with Retry-After at once; sessions survive", async () => {
  await meanwhile([me, profile()], ["UNAVAILABLE"], () => servers.redis.halt());
  expect(await degraded()).toMatchObject({ redis: "Redis is not connected" });
  const anonymous = await fetch(`${gateway.url}/v1/me`);
  expect([anonymous.status, anonymous.headers.has("ratelimit")]).toEqual([401, true]);
  await servers.redis.start();
  await until200(me);
  await meanwhile([me], ["UNAVAILABLE"], () => servers.redis.pause());
  servers.redis.resume();
  await until200(me);
});

test("the identity provider killed or stopped: signed-in users notice nothing; sign-in is refused quickly and works again afterwards", async () => {
  const signIn = async (browser: TestBrowser) => (await browser.signIn(gateway.url, "bob")).response.status;
  /** Uses the provider's form; the provider is gone before the browser returns. */
  async function comesBackTo(fault: () => Promise<void> | void): Promise<Answer> {
    const browser = testBrowser();
    const form = await browser.visit(`${gateway.url}/login`);
    const action = /<form[^>]* action="([^"]+)"/.exec(await form.response.text())![1]!;
    let [at, response] = [
      form.url,
      await browser.fetch(new URL(action, form.url).href, {
        method: "POST",
        body: new URLSearchParams({ username: "bob", password: "bob" }),
      }),
    ];
    while (!response.headers.get("location")!.startsWith(gateway.url)) {
      at = new URL(response.headers.get("location")!, at).href;
      response = await browser.fetch(at);
    }
    await fault();
    return ask(new URL(response.headers.get("location")!).href.slice(gateway.url.length), browser);
  }

  const killed = await comesBackTo(() => servers.idp.halt());
  expect([killed.status, killed.code, killed.took < slow]).toEqual([502, "IDP_BAD_GATEWAY", true]);
  expect((await ask(me)).status).toBe(200);
  const place = await gatewayPlace();
  const fresh = await startGateway(kenri, place, settings());
  const login = await fetch(`${fresh.url}/login`, { redirect: "manual" });
  expect([login.status, ((await login.json()) as { code: string }).code]).toEqual([502, "IDP_BAD_GATEWAY"]);
  await servers.idp.start();
  await until("sign-in works again", 10_000, async () => (await signIn(testBrowser())) === 200);
  expect((await fetch(`${fresh.url}/login`, { redirect: "manual" })).status).toBe(302);

  const stopped = await comesBackTo(() => servers.idp.pause());
  expect([stopped.status, stopped.code, stopped.took < slow]).toEqual([504, "IDP_TIMEOUT", true]);
  expect((await ask(me)).status).toBe(200);
  await until("health says that nobody can sign in", 10_000, async () =>
    /nobody can sign in/.test((await degraded())["identity provider"] ?? ""),
  );
  servers.idp.resume();
  await until("sign-in works again", 10_000, async () => (await signIn(testBrowser())) === 200);
  await until("health is well again", 10_000, async () => (await degraded())["identity provider"] === undefined);
});

test("the gateway killed under load: its sessions work at the next one", async () => {
  const traffic = load([me]);
  await until("all is healthy", 10_000, () => traffic.answers.length >= 10);
  traffic.stop().catch(() => {});
  const place = { port: Number(new URL(gateway.url).port), url: gateway.url, forServices: {} };
  gateway.process.kill("SIGKILL");
  await gateway.process.exited;
  gateway = await startGateway(kenri, place, settings());
  expect((await ask(me)).status).toBe(200);
  await until200(profile());
});
