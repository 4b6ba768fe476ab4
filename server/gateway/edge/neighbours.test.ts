import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { becomes, until } from "../../../stack/wait.ts";
import { type Person, signedIn, type TestBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { testRedis, testRedisUrl } from "../../testing/redis.ts";

const perUser = 8;
// A part of Redis that no other test file uses, so that what is left behind can be counted.
const ownRedis = Object.assign(new URL(testRedisUrl()), { pathname: "/9" }).href;
let kenri: TestKenri;
let gateway: TestGateway;
let strict: TestGateway;
const people: Record<string, Person> = {};

/** In front of entitlement: whatever is asked of this user waits until it is let go, as a question that is slow for them alone. */
const slow = { userId: "nobody", under: 0, most: 0, letGo: Promise.withResolvers<void>() };
const front = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 30,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    if (pathname.includes(slow.userId)) {
      slow.under++;
      slow.most = Math.max(slow.most, slow.under);
      await slow.letGo.promise;
      slow.under--;
    }
    return fetch(`${kenri.urlOf("entitlement")}${pathname}${search}`, { headers: request.headers });
  },
});

beforeAll(async () => {
  kenri = await testKenri();
  const place = await gatewayPlace();
  await kenri.start("account:api entitlement:api notification:api", place.forServices);
  gateway = await startGateway(kenri, place, {
    REDIS_URL: ownRedis,
    ENTITLEMENT_URL: `http://127.0.0.1:${front.port}`,
    GATEWAY_DEADLINE: "1500ms",
    USER_CALLS: String(perUser),
    USER_CALLS_WAIT: "100ms",
    SESSIONS_PER_USER: "3",
  });
  strict = await startGateway(kenri, await gatewayPlace(), {
    REDIS_URL: ownRedis,
    LIMIT_USER: "72",
    LIMIT_SIGN_IN: "5",
    LIMIT_ADDRESS: "5",
  });
  for (const name of ["alice", "bob"]) people[name] = await signedIn(gateway, name);
});
afterAll(async () => {
  slow.letGo.resolve();
  await kenri.close();
  await front.stop(true);
});

const profile = (name: string, init?: RequestInit) => {
  const one = people[name]!;
  return one.fetch(`${gateway.url}/v1/users/${one.userId}/profile?fields=entitlement`, init);
};
const statuses = async (answers: readonly Promise<Response>[]) => (await Promise.all(answers)).map(one => one.status);
const count = (all: readonly number[], status: number) => all.filter(one => one === status).length;

describe("one user's slow requests", () => {
  test("time out for that user alone: other users are answered meanwhile", async () => {
    slow.userId = people.alice!.userId;
    slow.letGo = Promise.withResolvers();
    const answers: number[] = [];
    let isOver = false;
    const innocent = (async () => {
      while (!isOver) {
        answers.push((await profile("bob")).status);
        await becomes(20, () => isOver, 20);
      }
    })();
    const timeouts: number[] = [];
    for (let n = 0; n < 2; n++) timeouts.push(...(await statuses(Array.from({ length: perUser }, () => profile("alice")))));
    isOver = true;
    await innocent;
    slow.letGo.resolve();
    expect(timeouts).toEqual(Array(2 * perUser).fill(504));
    expect(answers.length).toBeGreaterThan(10);
    expect(answers.filter(status => status !== 200)).toEqual([]);
    expect((await profile("alice")).status).toBe(200);
  });

  test("reach the service only so many at once; the others get 429, and all turns end", async () => {
    await until("nothing is under way", 5000, () => slow.under === 0);
    Object.assign(slow, { most: 0, letGo: Promise.withResolvers() });
    const leaving = new AbortController();
    const flood = Array.from({ length: 30 }, (_, n) =>
      profile("alice", n % 3 === 0 ? { signal: leaving.signal } : {}).catch(() => undefined),
    );
    await until("some are refused", 5000, async () => {
      const refused = await Promise.race([Promise.any(flood.filter((_, n) => n % 3 > 0)), Bun.sleep(50)]);
      return refused?.status === 429;
    });
    expect((await profile("bob")).status).toBe(200);
    leaving.abort();
    const answers = (await Promise.all(flood)).filter(one => one !== undefined);
    slow.letGo.resolve();
    expect(slow.most).toBeLessThanOrEqual(perUser);
    expect(new Set(answers.map(one => one.status))).toEqual(new Set([429, 504]));
    const refused = answers.find(one => one.status === 429)!;
    expect([refused.headers.get("retry-after"), ((await refused.json()) as { code: string }).code]).toEqual(["1", "TOO_MANY_AT_ONCE"]);
    expect(await statuses(Array.from({ length: perUser }, () => profile("alice")))).toEqual(Array(perUser).fill(200));
  });
});

describe("one user in many sessions", () => {
  test("has a limited number of sessions: the oldest answers 401 when one more is opened", async () => {
    const browsers: TestBrowser[] = [];
    for (let n = 0; n < 4; n++) browsers.push(await signedIn(gateway, "viewer"));
    expect(await statuses(browsers.map(one => one.fetch(`${gateway.url}/v1/me`)))).toEqual([401, 200, 200, 200]);
  });

  test("has one limit for all sessions", async () => {
    const sessions = await Promise.all(Array.from({ length: 3 }, () => signedIn(gateway, "operator")));
    const answers = await statuses(Array.from({ length: 24 }, (_, n) => sessions[n % 3]!.fetch(`${strict.url}/v1/me`)));
    expect(count(answers, 200)).toBeWithin(12, 17);
    expect(count(answers, 200) + count(answers, 429)).toBe(24);
    const refused = await sessions[0]!.fetch(`${strict.url}/v1/me`);
    expect(refused.headers.get("ratelimit-policy")).toBe('"session";q=1000000;w=60, "user";q=12;w=10');
    expect((await people.bob!.fetch(`${strict.url}/v1/me`)).status).toBe(200);
  });
});

describe("a page of another site", () => {
  const image = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const get = (path: string, headers: Record<string, string>) => fetch(`${strict.url}${path}`, { headers, redirect: "manual" });

  test("that loads /login or /callback starts no sign-in, stores nothing and uses up no limit", async () => {
    const redis = await testRedis(ownRedis);
    const pending = async () => (await redis.send<string[]>("KEYS", "kenri:sign-in:*")).length;
    const before = await pending();
    for (let n = 0; n < 20; n++) {
      const answer = await get(n % 2 ? "/login" : "/callback?state=x&code=y", { ...image, accept: "text/html,image/*" });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([403, "application/problem+json"]);
      expect([answer.headers.get("set-cookie"), answer.headers.get("ratelimit")]).toEqual([null, null]);
    }
    expect(await pending()).toBe(before);
    await redis.stop();
    expect((await get("/login", link)).status).toBe(302);
    expect((await get("/login", {})).status).toBe(302);
    expect((await get("/login", { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" })).status).toBe(
      302,
    );
  });

  test("that loads anything else uses up no limit of the address either", async () => {
    for (let n = 0; n < 20; n++) expect((await get("/v1/me", image)).status).toBe(403);
    expect((await get("/v1/me", {})).status).toBe(401);
  });
});
