import { afterAll, beforeAll, expect, test } from "bun:test";
import { testBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
let gateway: TestGateway;
let second: TestGateway;
beforeAll(async () => {
  kenri = await testKenri();
  const [place, other] = [await gatewayPlace(), await gatewayPlace()];
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  const settings = { SESSIONS_PER_USER: "50" };
  [gateway, second] = await Promise.all([startGateway(kenri, place, settings), startGateway(kenri, other, settings)]);
});
afterAll(() => kenri.close());

const me = async (browser: ReturnType<typeof testBrowser>, at = gateway) => {
  const response = await browser.fetch(`${at.url}/v1/me`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

test("alice signs in through redirects and the form, sees herself, signs out, and her cookie is dead on the server", async () => {
  const browser = testBrowser();
  const { response, url } = await browser.signIn(gateway.url, "alice");
  expect([response.status, url]).toEqual([200, `${gateway.url}/`]);
  const { status, body } = await me(browser);
  expect(status).toBe(200);
  expect(body).toEqual({
    user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    account_status: "ACTIVE",
    roles: ["USER"],
    display_name: expect.stringContaining("Alice"),
    email: "alice@example.test",
  });
  const cookie = browser.cookies.get("kenri")!;
  const out = await browser.call(gateway.url, "/logout", { method: "POST" });
  expect(out.status).toBe(204);
  expect(browser.cookies.has("kenri")).toBe(false);
  browser.cookies.set("kenri", cookie);
  expect((await me(browser)).status).toBe(401);
  expect((await me(browser, second)).status).toBe(401);
});

test("she comes back to where she wanted to go, and to nowhere else", async () => {
  const browser = testBrowser();
  expect((await browser.signIn(gateway.url, "alice", "/v1/me?x=1")).url).toBe(`${gateway.url}/v1/me?x=1`);
  for (const elsewhere of ["//evil.example", "https://evil.example/", "/..//evil.example", "/\\evil.example"])
    expect((await testBrowser().signIn(gateway.url, "alice", elsewhere)).url).toBe(`${gateway.url}/`);
});

test("every sign-in has a new session id, and ends the one that the browser had", async () => {
  const browser = testBrowser();
  await browser.signIn(gateway.url, "alice");
  const first = browser.cookies.get("kenri")!;
  await browser.signIn(gateway.url, "alice");
  expect(browser.cookies.get("kenri")).not.toBe(first);
  expect((await me(browser)).status).toBe(200);
  const thief = testBrowser();
  thief.cookies.set("kenri", first);
  expect((await me(thief)).status).toBe(401);
});

test("a session id that somebody else chose never becomes a session", async () => {
  const browser = testBrowser();
  browser.cookies.set("kenri", "A".repeat(43));
  await browser.signIn(gateway.url, "bob");
  expect(browser.cookies.get("kenri")).not.toBe("A".repeat(43));
  const attacker = testBrowser();
  attacker.cookies.set("kenri", "A".repeat(43));
  expect((await me(attacker)).status).toBe(401);
});

test("the cookie is no script's and no other site's", async () => {
  const browser = testBrowser();
  const login = await browser.fetch(`${gateway.url}/login`);
  expect(login.headers.getSetCookie()[0]).toMatch(/^kenri-sign-in=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
});

test("roles of the provider are taken at the first sign-in", async () => {
  const browser = testBrowser();
  await browser.signIn(gateway.url, "operator");
  expect((await me(browser)).body.roles).toEqual(["USER", "OPERATOR"]);
});

test("50 first sign-ins of one new person at once are one user", async () => {
  const browsers = Array.from({ length: 50 }, () => testBrowser());
  const ends = await Promise.all(browsers.map((browser, n) => browser.signIn((n % 2 ? gateway : second).url, "viewer")));
  expect(ends.map(({ response }) => response.status)).toEqual(Array(50).fill(200));
  const users = await Promise.all(browsers.map(async browser => (await me(browser)).body.user_id));
  expect(new Set(users).size).toBe(1);
  expect(await kenri.account().sql`select from identities where subject = 'viewer'`).toHaveLength(1);
  expect(await kenri.account().sql`select from users where email = 'viewer@example.test'`).toHaveLength(1);
});

test("a session holds at every gateway, and survives the end of the one that opened it", async () => {
  const place = await gatewayPlace();
  const third = await startGateway(kenri, place);
  const browser = testBrowser();
  await browser.signIn(third.url, "bob");
  expect((await me(browser, second)).status).toBe(200);
  expect(await third.process.stop()).toBe(0);
  const again = await startGateway(kenri, place);
  expect((await me(browser, again)).status).toBe(200);
});

test("who asks as a person gets a page about what went wrong, a program gets problem+json", async () => {
  const page = await fetch(`${gateway.url}/callback?state=x&code=y`, { headers: { accept: "text/html" } });
  expect([page.status, page.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
  expect(await page.text()).toContain("Sign in again");
  const problem = await fetch(`${gateway.url}/callback?state=x&code=y`);
  expect([problem.status, problem.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
});

test("everything that is served carries the headers of a careful site", async () => {
  for (const path of ["/", "/home/home.js", "/v1/me", "/login", "/nowhere", "/callback", "/openapi"]) {
    const response = await fetch(`${gateway.url}${path}`, { redirect: "manual" });
    const policy = response.headers.get("content-security-policy") ?? "";
    expect([path, policy.includes("default-src 'none'"), /unsafe|https?:|\*/.test(policy)]).toEqual([path, true, false]);
    for (const name of ["x-frame-options", "referrer-policy", "x-content-type-options", "cross-origin-opener-policy", "x-request-id"])
      expect([path, name, response.headers.has(name)]).toEqual([path, name, true]);
  }
});
