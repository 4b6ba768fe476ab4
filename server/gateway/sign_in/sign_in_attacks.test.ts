import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestBrowser, testBrowser } from "../../testing/browser.ts";
import { type FakeIdp, fakeIdp } from "../../testing/fake_idp.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
let idp: FakeIdp;
let gateway: TestGateway;
beforeAll(async () => {
  [kenri, idp] = await Promise.all([testKenri(), fakeIdp()]);
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  gateway = await startGateway(kenri, place, { OIDC_ISSUER: idp.issuer, OIDC_CLIENT_ID: "kenri", OIDC_CLIENT_SECRET: "not-checked" });
});
afterAll(async () => {
  await kenri.close();
  await idp.close();
});

/** The first half of a sign-in: up to the provider's redirect back, which is not followed. */
async function halfway(browser: TestBrowser): Promise<URL> {
  const login = await browser.fetch(`${gateway.url}/login`);
  const back = await browser.fetch(login.headers.get("location")!);
  return new URL(back.headers.get("location")!);
}

/** What the gateway answers to a callback, and that there is no session after a refusal. */
async function finish(browser: TestBrowser, callback: URL | string): Promise<[status: number, code: string | undefined]> {
  const response = await browser.fetch(String(callback));
  const code = response.status === 302 ? undefined : ((await response.json()) as { code: string }).code;
  if (response.status !== 302) {
    expect(response.headers.getSetCookie().filter(line => line.startsWith("kenri=") && !line.includes("Max-Age=0"))).toEqual([]);
    expect((await browser.fetch(`${gateway.url}/v1/me`)).status).toBe(401);
  }
  return [response.status, code];
}

const refused: [number, string] = [400, "SIGN_IN_FAILED"];
const changed = (url: URL, name: string, value: string | undefined) => {
  const copy = new URL(url);
  if (value === undefined) copy.searchParams.delete(name);
  else copy.searchParams.set(name, value);
  return copy;
};

describe("a callback", () => {
  test("of an honest sign-in opens a session", async () => {
    const browser = testBrowser();
    expect(await finish(browser, await halfway(browser))).toEqual([302, undefined]);
    expect((await browser.fetch(`${gateway.url}/v1/me`)).status).toBe(200);
  });

  test.each([
    ["with a wrong state", "state", "wrong"],
    ["without a state", "state", undefined],
    ["with an empty state", "state", ""],
    ["without a code", "code", undefined],
    ["with a code nobody gave", "code", "made-up"],
    ["of another issuer", "iss", "https://evil.example"],
    ["without the issuer that the provider promises", "iss", undefined],
  ])("%s is refused", async (_, name, value) => {
    const browser = testBrowser();
    expect(await finish(browser, changed(await halfway(browser), name, value))).toEqual(refused);
  });

  test("that is sent again is refused, though the code would be good", async () => {
    const browser = testBrowser();
    const callback = await halfway(browser);
    expect(await finish(browser, changed(callback, "code", "made-up"))).toEqual(refused);
    expect(await finish(browser, callback)).toEqual(refused);
  });

  test("whose code was used already is refused", async () => {
    const [first, second] = [testBrowser(), testBrowser()];
    const callback = await halfway(first);
    const other = await halfway(second);
    await finish(first, callback);
    expect(await finish(second, changed(other, "code", callback.searchParams.get("code")!))).toEqual(refused);
  });

  test("in another browser is refused, with and without a sign-in of its own, and the first browser cannot be made to use it", async () => {
    const victim = testBrowser();
    const attacker = testBrowser();
    const callback = await halfway(attacker);
    expect(await finish(victim, callback)).toEqual(refused);
    const prepared = testBrowser();
    await prepared.fetch(`${gateway.url}/login`);
    expect(await finish(prepared, callback)).toEqual(refused);
  });

  test("with an error of the provider is refused", async () => {
    const browser = testBrowser();
    const callback = changed(changed(await halfway(browser), "code", undefined), "error", "access_denied");
    expect(await finish(browser, callback)).toEqual(refused);
  });

  test("without the cookie of its beginning is refused", async () => {
    const browser = testBrowser();
    const callback = await halfway(browser);
    browser.cookies.clear();
    expect(await finish(browser, callback)).toEqual(refused);
  });
});

describe("an ID token", () => {
  const now = Math.floor(Date.now() / 1000);
  test.each([
    ["with a wrong nonce", { nonce: "wrong" }],
    ["for another client", { aud: "other" }],
    ["of another issuer", { iss: "https://evil.example" }],
    ["that has expired", { iat: now - 1000, exp: now - 900 }],
    ["without a subject", { sub: undefined }],
  ])("%s is refused", async (_, lies) => {
    idp.lies = { ...lies };
    const browser = testBrowser();
    const answer = await finish(browser, await halfway(browser));
    idp.lies = {};
    expect(answer).toEqual(refused);
  });

  test("signed with a new key of the provider is taken", async () => {
    await idp.rotate();
    const browser = testBrowser();
    expect(await finish(browser, await halfway(browser))).toEqual([302, undefined]);
  });
});

describe("a request with a session", () => {
  async function signedIn(): Promise<TestBrowser> {
    const browser = testBrowser();
    await finish(browser, await halfway(browser));
    return browser;
  }

  test.each([
    ["from another origin", { origin: "https://evil.example", "x-kenri-csrf": "1" }],
    ["from no origin that can be named", { origin: "null", "x-kenri-csrf": "1" }],
    ["from another site, says the browser", { "sec-fetch-site": "cross-site", "x-kenri-csrf": "1" }],
    ["from a neighbour site", { "sec-fetch-site": "same-site", "x-kenri-csrf": "1" }],
    ["without the header that only our pages send", {}],
  ])("%s changes nothing: 403", async (_, headers) => {
    const browser = await signedIn();
    const out = await browser.fetch(`${gateway.url}/logout`, { method: "POST", headers });
    expect([out.status, ((await out.json()) as { code: string }).code]).toEqual([403, "CSRF_REFUSED"]);
    const change = await browser.fetch(`${gateway.url}/v1/me/notifications/read`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: '{"up_to": 1}',
    });
    expect(change.status).toBe(403);
    expect((await browser.fetch(`${gateway.url}/v1/me`)).status).toBe(200);
  });

  test("whose cookie was tampered with is nobody's", async () => {
    const browser = await signedIn();
    const good = browser.cookies.get("kenri")!;
    for (const bad of [`${good.slice(0, -1)}${good.endsWith("A") ? "B" : "A"}`, good.slice(1), `${good}x`, "", "%00", '"><script>']) {
      browser.cookies.set("kenri", bad);
      const answer = await browser.fetch(`${gateway.url}/v1/me`);
      expect([bad, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([bad, 401, "NOT_SIGNED_IN"]);
    }
  });

  test("that names another user in a header is its own user's all the same", async () => {
    const browser = await signedIn();
    const mine = (await (await browser.fetch(`${gateway.url}/v1/me`)).json()) as { user_id: string };
    const headers = { "x-user-id": "somebody", authorization: "Bearer x.y.z", "x-forwarded-user": "admin" };
    expect(await (await browser.fetch(`${gateway.url}/v1/me`, { headers })).json()).toEqual(mine);
    expect((await fetch(`${gateway.url}/v1/me`, { headers })).status).toBe(401);
  });
});
