import { afterAll, beforeAll, expect, test } from "bun:test";
import { signedIn, type TestBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

const limited = {
  LIMIT_SESSION: "20",
  LIMIT_ADDRESS: "10",
  LIMIT_SIGN_IN: "5",
  LIMIT_OPEN: "6",
  LIMIT_KEYS: "12",
  TRUSTED_PROXIES: "127.0.0.1",
};
let kenri: TestKenri;
let gateways: TestGateway[];
let untrusting: TestGateway;
let alice: TestBrowser;
let bob: TestBrowser;
beforeAll(async () => {
  kenri = await testKenri();
  // Services read the keys of all gateways from this one: they may use up the limits of the others before a test does.
  const withoutLimits = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", withoutLimits.forServices);
  const generous = await startGateway(kenri, withoutLimits);
  gateways = await Promise.all([1, 2].map(async () => startGateway(kenri, await gatewayPlace(), limited)));
  untrusting = await startGateway(kenri, await gatewayPlace(), { ...limited, TRUSTED_PROXIES: "192.0.2.1" });
  [alice, bob] = [await signedIn(generous, "alice"), await signedIn(generous, "bob")];
});
afterAll(() => kenri.close());

/** An address nobody else in the tests has. */
const anAddress = () => `198.51.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`;
const count = (all: readonly number[], status: number) => all.filter(one => one === status).length;

test("over the limit of an address: 429 with Retry-After and RateLimit, shared by two gateways", async () => {
  const headers = { "x-forwarded-for": anAddress() };
  const answers: Response[] = [];
  for (let n = 0; n < 14; n++) answers.push(await fetch(`${gateways[n % 2]!.url}/v1/me`, { headers }));
  expect(
    count(
      answers.map(one => one.status),
      401,
    ),
  ).toBe(10);
  const last = answers.at(-1)!;
  expect(last.status).toBe(429);
  expect(Number(last.headers.get("retry-after"))).toBeWithin(1, 7);
  expect(last.headers.get("ratelimit")).toMatch(/^"address";r=0;t=\d+$/);
  expect(last.headers.get("ratelimit-policy")).toBe('"address";q=10;w=60');
  expect(((await last.json()) as { code: string }).code).toBe("RATE_LIMITED");
  expect(answers[0]!.headers.get("ratelimit")).toMatch(/^"address";r=9;t=\d+$/);
});

test("a client cannot change its address with X-Forwarded-For, neither through a trusted proxy nor directly", async () => {
  const address = anAddress();
  const spoofed = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${gateways[0]!.url}/v1/me`, { headers: { "x-forwarded-for": `${anAddress()}, ${address}` } })),
  );
  expect(
    count(
      spoofed.map(one => one.status),
      429,
    ),
  ).toBe(10);
  const direct: number[] = [];
  for (let n = 0; n < 40; n++)
    direct.push(
      (await fetch(`${untrusting.url}/v1/me`, { headers: { "x-forwarded-for": anAddress(), forwarded: `for=${anAddress()}` } })).status,
    );
  expect(count(direct, 429)).toBeGreaterThanOrEqual(29);
});

test("requests with invalid session cookies are limited by their IP address", async () => {
  const headers = () => ({
    "x-forwarded-for": address,
    cookie: `kenri=${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`,
  });
  const address = anAddress();
  const answers = await Promise.all(
    Array.from({ length: 15 }, async () => (await fetch(`${gateways[0]!.url}/v1/me`, { headers: headers() })).status),
  );
  expect([count(answers, 401), count(answers, 429)]).toEqual([10, 5]);
});

test("sign-in has a stricter limit", async () => {
  const headers = { "x-forwarded-for": anAddress() };
  const answers: number[] = [];
  for (let n = 0; n < 8; n++) answers.push((await fetch(`${gateways[n % 2]!.url}/login`, { headers, redirect: "manual" })).status);
  expect([count(answers, 302), count(answers, 429)]).toEqual([5, 3]);
});

test("public routes have a limit of their own, which takes nothing from other requests", async () => {
  const open = [
    "/",
    "/home/home.css",
    "/home/home.js",
    "/home/matchmaking.js",
    "/admin/assets/none.js",
    "/openapi",
    "/openapi.json",
    "/livez",
    "/readyz",
  ];
  for (const path of open) {
    const headers = { "x-forwarded-for": anAddress() };
    const answers: Response[] = [];
    for (let n = 0; n < 8; n++) answers.push(await fetch(`${gateways[0]!.url}${path}`, { headers }));
    expect([path, ...answers.map(({ status }) => (status === 429 ? "limited" : "served"))]).toEqual([
      path,
      ...Array(6).fill("served"),
      ...Array(2).fill("limited"),
    ]);
    expect(answers.at(-1)!.headers.get("ratelimit-policy")).toBe('"open";q=6;w=60');
    expect((await fetch(`${gateways[0]!.url}/v1/me`, { headers })).status).toBe(401);
  }
});

test("the keys of tokens have a limit of their own: services get them when their address has used up the others", async () => {
  const headers = { "x-forwarded-for": anAddress() };
  const ask = async (path: string) => (await fetch(`${gateways[0]!.url}${path}`, { headers })).status;
  for (let n = 0; n < 20; n++) await Promise.all([ask("/"), ask("/v1/me")]);
  const keys = "/.well-known/jwks.json";
  const answers: number[] = [];
  for (let n = 0; n < 14; n++) answers.push(await ask(keys));
  expect([await ask("/"), count(answers, 200), count(answers, 429)]).toEqual([429, 12, 2]);
});

test("a session has its own limit, from any address", async () => {
  const answers: number[] = [];
  for (let n = 0; n < 26; n++)
    answers.push((await alice.fetch(`${gateways[n % 2]!.url}/v1/me`, { headers: { "x-forwarded-for": anAddress() } })).status);
  expect(count(answers, 200)).toBeWithin(20, 23);
  expect(answers.at(-1)).toBe(429);
  expect((await bob.fetch(`${gateways[0]!.url}/v1/me`)).status).toBe(200);
});
