import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Person, signedIn, type TestBrowser, testBrowser } from "../../testing/browser.ts";
import { type FakeIdp, fakeIdp } from "../../testing/fake_idp.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri } from "../../testing/kenri.ts";
import { sendRaw } from "../../testing/raw_http.ts";
import { testRedis } from "../../testing/redis.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { privateServers } from "../../testing/servers.ts";

let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let kenri: TestKenri;
let account: TestProcess;
let idp: FakeIdp;
let gateway: TestGateway;
let strange: TestGateway;
const people: Record<string, Person> = {};
/** An entitlement that is none: what stands at its address answers this. */
const wrong = { status: 200, body: "" };
const impostor = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(wrong.body, { status: wrong.status }) });

beforeAll(async () => {
  [servers, kenri, idp] = await Promise.all([privateServers("redis"), testKenri(), fakeIdp()]);
  const place = await gatewayPlace();
  await kenri.start("entitlement:api notification:api", place.forServices);
  account = await kenri.start("account:api", place.forServices);
  const own = { REDIS_URL: servers.redis.url };
  gateway = await startGateway(kenri, place, own);
  strange = await startGateway(kenri, await gatewayPlace(), {
    ...own,
    ENTITLEMENT_URL: `http://127.0.0.1:${impostor.port}`,
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: "kenri",
    OIDC_CLIENT_SECRET: "not-checked",
    OIDC_ROLES_CLAIM: "roles",
  });
  for (const name of ["bob", "admin", "operator"]) people[name] = await signedIn(gateway, name);
});
afterAll(async () => {
  await kenri.close();
  await Promise.all([idp.close(), servers.stop(), impostor.stop(true)]);
});

const userIdOf = async (browser: TestBrowser, at: TestGateway) =>
  ((await (await browser.fetch(`${at.url}/v1/me`)).json()) as { user_id: string }).user_id;
const asAdmin = (method: string, path: string, body: object) => people.admin!.send(gateway.url, method, `/admin/api/users/${path}`, body);

describe("a request", () => {
  const raw = async (lines: string) => {
    const answer = await sendRaw(gateway.url, `${lines}\r\nConnection: close\r\n\r\n`);
    return answer === "closed" ? 0 : answer.status;
  };
  test.each([
    ["GET /callback?state=x HTTP/1.1\r\nHost: [", 400],
    ["GET /callback?state=x HTTP/1.0", 400],
    ["GET /twelve-or-more/metrics HTTP/1.0", 400],
    ["GET /ab/metrics HTTP/1.1\r\nHost: x", 404],
    ["GET //evil/metrics HTTP/1.1\r\nHost: x", 404],
  ])("%j is answered %i: what it names as its Host moves nothing", async (lines, status) => {
    expect(await raw(lines)).toBe(status);
  });

  const doors = ["gateway", "account", "entitlement", "notification"] as const;
  const send = async (door: (typeof doors)[number], lines: string) => {
    const answer = await sendRaw(door === "gateway" ? gateway.url : kenri.urlOf(door), `${lines}\r\n\r\n`);
    if (answer === "closed") throw new Error("the server hung up");
    return answer;
  };
  test.each(doors)("%s refuses more than one Host, also the same twice", async door => {
    for (const hosts of ["Host: a\r\nHost: b", "Host: a\r\nHost: a", "Host: a\r\nX-Else: 1\r\nhost:"])
      expectRefusal(await send(door, `GET /livez HTTP/1.1\r\n${hosts}`), { status: 400, code: "INVALID_REQUEST" });
  });

  const ops = "GET, HEAD, POST, PUT, PATCH, DELETE";
  test.each([
    ["gateway", "/", "GET, HEAD"],
    ["gateway", "/v1/me", "GET, HEAD"],
    ["gateway", "/admin/journey", "GET, HEAD"],
    ["gateway", "/admin/api/users/x/suspend", "POST"],
    ["gateway", "/admin/api/entitlement/outbox", ops],
    ["gateway", "/admin/api/notification/users/a%2Fb/inbox", ops],
    ["account", "/users/x", "GET, HEAD, PATCH"],
    ["account", "/admin/users/x:suspend", "POST"],
    ["entitlement", "/v1/entitlements/grants", "POST"],
    ["notification", "/ops/notifications", "GET, HEAD"],
  ] as const)("%s: OPTIONS %s says which methods the path takes", async (door, path, allow) => {
    for (const method of ["OPTIONS", "TRACE"]) {
      const answer = await send(
        door,
        `${method} ${path} HTTP/1.1\r\nHost: x\r\nOrigin: http://elsewhere\r\nAccess-Control-Request-Method: POST`,
      );
      expectRefusal(answer, { status: 405, code: "METHOD_NOT_ALLOWED" });
      expect([answer.headers.get("allow"), answer.headers.get("access-control-allow-origin")]).toEqual([allow, null]);
    }
  });
  test("with a charset other than UTF-8 is refused, and with UTF-8 it is read", async () => {
    const preview = (charset: string) =>
      people.operator!.call(gateway.url, "/admin/api/entitlement/outbox/bulk/preview", {
        method: "POST",
        headers: { "content-type": `application/json; charset=${charset}` },
        body: JSON.stringify({ action: "requeue", filter: { user_id: "nobody" } }),
      });
    for (const charset of ["utf-16", "latin1", '"UTF-7"']) {
      const answer = await preview(charset);
      expectRefusal(
        { status: answer.status, headers: answer.headers, text: await answer.text() },
        { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
      );
    }
    for (const charset of ["utf-8", "UTF-8", '"Utf-8"']) expect((await preview(charset)).status).toBe(200);
  });
  test.each(doors)("%s refuses OPTIONS *, below the service", async door => {
    expect((await send(door, "OPTIONS * HTTP/1.1\r\nHost: x")).status).toBe(400);
  });
});

describe("an administrator's change holds", () => {
  test("however the user's id is written", async () => {
    const victim = await signedIn(gateway, "operator");
    const answer = await asAdmin("POST", `${victim.userId.toUpperCase()}/sign-out`, { reason: "stolen" });
    expect([answer.status, (await victim.fetch(`${gateway.url}/v1/me`)).status]).toEqual([200, 401]);
  });

  test("also while account is away: a suspended user stays suspended", async () => {
    await people.bob!.fetch(`${gateway.url}/v1/me`);
    expect((await asAdmin("POST", `${people.bob!.userId}/suspend`, { reason: "fraud" })).status).toBe(200);
    account.kill("SIGSTOP");
    const answer = await people.bob!.fetch(`${gateway.url}/v1/me/notifications`);
    account.kill("SIGCONT");
    expect(answer.status).not.toBe(200);
  });

  test("also when account fails: a former ADMIN cannot become ADMIN again", async () => {
    people.operator = await signedIn(gateway, "operator");
    const { userId } = people.operator;
    await asAdmin("PUT", `${userId}/roles`, { roles: ["ADMIN"], reason: "helps" });
    await people.operator.fetch(`${gateway.url}/v1/me`);
    expect((await asAdmin("PUT", `${userId}/roles`, { roles: [], reason: "fired" })).status).toBe(200);
    account.kill("SIGSTOP");
    const asking = people.operator.send(gateway.url, "PUT", `/admin/api/users/${userId}/roles`, { roles: ["ADMIN"], reason: "me again" });
    account.kill("SIGCONT");
    expect((await asking).status).not.toBe(200);
  });
});

describe("signing in", () => {
  test("works with hundreds of the provider's groups and with a long name", async () => {
    const comesIn = async (subject: string, lies: object) => {
      Object.assign(idp, { subject, lies });
      const { response } = await testBrowser().visit(`${strange.url}/login`);
      idp.lies = {};
      return response.status;
    };
    expect(await comesIn("many", { roles: Array.from({ length: 101 }, (_, n) => `group-${n}`) })).toBe(200);
    expect(await comesIn("long", { name: `${"x".repeat(1999)}😀` })).toBe(200);
    expect(await comesIn("nothing", { name: "a\0b", email: "a\0b@example.test" })).toBe(200);
  });

  test("works in two tabs at once", async () => {
    const browser = testBrowser();
    const begin = async () => (await browser.fetch(`${strange.url}/login`)).headers.get("location")!;
    const [first, second] = [await begin(), await begin()];
    expect([(await browser.visit(first)).response.status, (await browser.visit(second)).response.status]).toEqual([200, 200]);
  });
});

test.each([
  [200, "<html>"],
  [404, '{"error":"no route"}'],
  [429, '{"message":"slow down"}'],
  [400, "null"],
])("what answers %i %j at a service's address is not the service: 502", async (status, body) => {
  const browser = testBrowser();
  await browser.visit(`${strange.url}/login`);
  const path = `/v1/users/${await userIdOf(browser, strange)}/profile?fields=entitlement`;
  Object.assign(wrong, { status, body });
  const answer = await browser.fetch(`${strange.url}${path}`);
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([502, "ENTITLEMENT_BAD_GATEWAY"]);
});

test("a Redis that is full or busy counts as away: never 500, and health reports it", async () => {
  const redis = await testRedis(servers.redis.url);
  await redis.send("CONFIG", "SET", "maxmemory", "1");
  const answers = await Promise.all([
    people.admin!.fetch(`${gateway.url}/v1/me`),
    fetch(`${gateway.url}/v1/me`),
    fetch(`${gateway.url}/login`, { redirect: "manual" }),
  ]);
  const ready = (await (await fetch(`${gateway.url}/readyz`)).json()) as { status: string };
  await redis.send("CONFIG", "SET", "maxmemory", "0");
  await redis.stop();
  expect(answers.slice(1).map(one => one.status)).toEqual([401, 503]);
  expect([200, 503]).toContain(answers[0]!.status);
  expect(ready.status).toBe("degraded");
  await until("all is well again", 5000, async () => (await fetch(`${gateway.url}/login`, { redirect: "manual" })).status === 302);
});
