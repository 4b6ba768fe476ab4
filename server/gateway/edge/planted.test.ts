import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { until } from "../../../stack/wait.ts";
import { sha256 } from "../../kernel/http/auth.ts";
import { issuer, jwtType } from "../../kernel/http/tokens.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { type Person, signedIn, type TestBrowser, testBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { testIntegrity } from "../../testing/integrity.ts";
import { type TestKenri, type TestSystem, testKenri } from "../../testing/kenri.ts";
import { testRedis } from "../../testing/redis.ts";
import { privateServers } from "../../testing/servers.ts";
import { createKeyRegistry, registryKey } from "../calls/key_registry.ts";

/** For each service what only an ADMIN or an operator may ask. */
const doors: readonly [system: TestSystem, path: string][] = [
  ["entitlement", "/ops/outbox"],
  ["notification", "/ops/notifications"],
  ["account", "/admin/users"],
];

let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
let kenri: TestKenri;
let gateway: TestGateway;
/** The attacker: can read and write everything in Redis, and knows no secret of the gateways. */
let redis: Redis;
let alice: Person;
let admin: Person;

beforeAll(async () => {
  [servers, kenri] = await Promise.all([privateServers("redis"), testKenri()]);
  const place = await gatewayPlace();
  await kenri.start("entitlement:api notification:api account:api", place.forServices);
  redis = await testRedis(servers.redis.url);
  gateway = await startGateway(kenri, place, await aclUser());
  [alice, admin] = [await signedIn(gateway, "alice"), await signedIn(gateway, "admin")];
});
afterAll(async () => {
  await redis.stop();
  await kenri.close();
  await servers.stop();
});

/** A gateway needs no more of Redis than docs/security.md says. */
async function aclUser(): Promise<Record<string, string>> {
  const document = await Bun.file(new URL("../../../docs/security.md", import.meta.url)).text();
  const [, rules = ""] = /^ *user gateway on >\S+ (.*)$/m.exec(document) ?? [];
  await redis.send("ACL", "SETUSER", "gateway", "on", ">only-for-tests", ...rules.split(" "));
  return { REDIS_URL: `redis://${new URL(servers.redis.url).host}`, REDIS_USER: "gateway", REDIS_PASSWORD: "only-for-tests" };
}

/** A key pair of one's own, and tokens that it signs for an ADMIN. */
async function attacker() {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA");
  const jwk: JWK & { kid: string } = { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" };
  const token = (audience: string) =>
    new SignJWT({ roles: ["USER", "ADMIN"] })
      .setProtectedHeader({ alg: "EdDSA", typ: jwtType, kid: jwk.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(admin.userId)
      .setIssuedAt()
      .setExpirationTime("30s")
      .sign(privateKey);
  return { jwk, token };
}
type Attacker = Awaited<ReturnType<typeof attacker>>;

const asked = async ({ token }: Attacker) =>
  Promise.all(
    doors.map(async ([system, path]) => {
      const headers = { authorization: `Bearer ${await token(system)}` };
      return (await kenri.call(system, path, { headers })).status;
    }),
  );
const published = async () => {
  const response = await fetch(`${gateway.url}/.well-known/jwks.json`);
  return { status: response.status, kids: ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid) };
};
const partsOf = async (browser: TestBrowser) => {
  const { dependencies } = (await (await browser.fetch(`${gateway.url}/admin/api/gateway/health`)).json()) as {
    dependencies: { name: string; state: string; detail: string | null }[];
  };
  return dependencies;
};

describe("a key in the registry of the gateways' keys", () => {
  test.each([
    ["as it was written before entries were signed", (jwk: JWK) => JSON.stringify(jwk)],
    ["signed with another secret", (jwk: JWK) => signedBy("another-secret-another-secret-another", jwk)],
    ["garbage", () => "\0{"],
  ])("that an attacker plants (%s) makes nobody an ADMIN, and the valid keys are still published", async (_, entryOf) => {
    const mallory = await attacker();
    await redis.send("ZADD", "kenri:gateway-keys", Date.now(), entryOf(mallory.jwk));
    await redis.send("HSET", registryKey, mallory.jwk.kid, entryOf(mallory.jwk));
    expect(await asked(mallory)).toEqual([401, 401, 401]);
    const { status, kids } = await published();
    expect([status, kids.includes(mallory.jwk.kid), kids.length]).toEqual([200, false, 1]);
    await redis.send("HDEL", registryKey, mallory.jwk.kid);
  });

  test("that is removed is refused by every service within seconds", async () => {
    const former = await attacker();
    const registry = createKeyRegistry(redis, testIntegrity(), 60_000); // a gateway that was taken over: it knows the secret
    await registry.announce(former.jwk);
    await until("its tokens are valid", 5000, async () => (await asked(former)).every(status => status === 200));
    await registry.withdraw([former.jwk.kid]);
    await until("its tokens are refused", 5000, async () => (await asked(former)).every(status => status === 401));
    await Promise.all([alice, admin].map(async one => expect((await one.fetch(`${gateway.url}/v1/me`)).status).toBe(200)));
  });

  test("that is written again after its expiry is not published", async () => {
    const former = await attacker();
    const registry = createKeyRegistry(redis, testIntegrity(), 1); // valid for a millisecond
    await registry.announce(former.jwk);
    await redis.send("PERSIST", registryKey);
    await until("its time is over", 5000, async () => !(await published()).kids.includes(former.jwk.kid));
    expect(await asked(former)).toEqual([401, 401, 401]);
  });
});

const signedBy = (secret: string, jwk: JWK) =>
  testIntegrity([secret]).sign(`${registryKey}:${jwk.kid}`, JSON.stringify({ jwk, until: Number.MAX_SAFE_INTEGER }));

describe("in Redis", () => {
  const sessionKey = (id: string) => `kenri:signed-session:${sha256(id).toString("base64url")}`;
  const profileKey = (userId: string) => `kenri:{user:${userId}}:signed-profile`;
  const newId = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const withCookie = (id: string, path: string) => fetch(`${gateway.url}${path}`, { headers: { cookie: `kenri=${id}` } });
  const adminRecord = async () => (await redis.send<string>("HGET", sessionKey(admin.cookies.get("kenri")!), "data"))!;

  test.each([
    ["as it was written before they were signed", async () => JSON.stringify({ userId: admin.userId })],
    ["copied from the administrator's", adminRecord],
    ["garbage", async () => "\0"],
  ])("a planted session (%s) is not valid", async (_, dataOf) => {
    const id = newId();
    await redis.send("HSET", sessionKey(id), "data", await dataOf(), "ends_at", Date.now() + 600_000);
    expect((await withCookie(id, "/v1/me")).status).toBe(401);
    expect((await withCookie(id, "/admin/api/users")).status).toBe(401);
  });

  test("an old session that is written again is not valid", async () => {
    const id = newId();
    const data = testIntegrity().sign(sessionKey(id), JSON.stringify({ userId: admin.userId, openedAt: Date.now() - 100 * 86_400_000 }));
    await redis.send("HSET", sessionKey(id), "data", data, "ends_at", Date.now() + 600_000);
    expect((await withCookie(id, "/v1/me")).status).toBe(401);
  });

  test.each([
    ["as they were written before they were signed", (profile: object) => JSON.stringify(profile)],
    [
      "of an hour ago, when she had them",
      (profile: object) => testIntegrity().sign(profileKey(alice.userId), JSON.stringify({ profile, at: Date.now() - 3_600_000 })),
    ],
    ["of somebody else", (profile: object) => testIntegrity().sign(profileKey(admin.userId), JSON.stringify({ profile, at: Date.now() }))],
  ])("planted roles (%s) are refused", async (_, entryOf) => {
    const profile = { user_id: alice.userId, account_status: "ACTIVE", roles: ["USER", "ADMIN"], display_name: "Alice", email: null };
    await redis.send("SET", profileKey(alice.userId), entryOf(profile));
    expect((await alice.fetch(`${gateway.url}/admin/api/users`)).status).toBe(403);
    expect((await alice.fetch(`${gateway.url}/v1/me`)).status).toBe(200);
  });

  test("a changed sign-in cannot redirect elsewhere", async () => {
    const browser = testBrowser();
    const begun = await browser.fetch(`${gateway.url}/login`);
    const state = new URL(begun.headers.get("location")!).searchParams.get("state")!;
    const key = `kenri:sign-in:${sha256(`${browser.cookies.get("kenri-sign-in")}\n${state}`).toString("base64url")}`;
    const kept = (await redis.send<string>("GET", key))!;
    await redis.send("SET", key, kept.replace('"returnTo":"/"', '"returnTo":"https://evil.example/"'));
    expect(kept).toContain('"returnTo":"/"');
    const answer = await browser.fetch(`${gateway.url}/callback?state=${state}&code=x`);
    expect(answer.status).toBe(400);
  });

  test("the console, /readyz, the log and the metrics report the refused entries", async () => {
    const trouble = (await partsOf(admin)).find(({ name }) => name === "redis_integrity");
    expect([trouble?.state, trouble?.detail]).toEqual(["trouble", expect.stringContaining("that no gateway signed")]);
    expect(((await (await fetch(`${gateway.url}/readyz`)).json()) as { status: string }).status).toBe("degraded");
    for (const kept of ["gateway key", "session", "profile", "sign-in"])
      expect([kept, (await gateway.process.metric("kenri_gateway_store_refused_total", `kept="${kept}"`)) > 0]).toEqual([kept, true]);
    expect(gateway.process.lines.filter(line => line.includes("gateway.store_refused")).length).toBeGreaterThan(3);
  });
});
