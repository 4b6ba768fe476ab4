import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Stack } from "../../../stack/stack.ts";
import { until } from "../../../stack/wait.ts";
import { tokenVerifier } from "../../kernel/http/tokens.ts";
import { createHealth } from "../../kernel/life/health.ts";
import type { Redis } from "../../kernel/redis/redis.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { testIntegrity, testSecret } from "../../testing/integrity.ts";
import { testRedis } from "../../testing/redis.ts";
import { privateServers } from "../../testing/servers.ts";
import { createIntegrity } from "../edge/integrity.ts";
import { createKeyRegistry, registryKey } from "./key_registry.ts";
import { createMint, type Mint } from "./mint.ts";

// Of its own: gateways of other tests use the shared one, and these tests plant entries in the registry and delete it.
let server: Stack<"redis">;
let redis: Redis;
const open: Mint[] = [];
beforeAll(async () => {
  server = await privateServers("redis");
  redis = await testRedis(server.redis.url);
});
// Every gateway deletes an expired entry that it finds: those of an earlier test must not find it first.
afterEach(() => Promise.all(open.splice(0).map(one => one.stop())));
afterAll(async () => {
  await redis.stop();
  await server.stop();
});

async function started(rotation = 3_600_000, connection = redis, integrity = testIntegrity()): Promise<Mint> {
  const mint = createMint({
    redis: connection,
    integrity,
    life: 30_000,
    rotation,
    announceEvery: 500,
    log: silentLog,
    metrics: createMetrics(),
  });
  open.push(mint);
  await mint.start();
  return mint;
}

const alice = { userId: "alice", roles: ["USER"] };
const kidsOf = async (mint: Mint) => (await mint.keys()).map(jwk => jwk.kid);
const kidOf = async (mint: Mint) => decodeProtectedHeader(await mint.token("account", alice, "r")).kid;

test("a token is for one service, one user and one request, and short-lived", async () => {
  const mint = await started();
  const { aud, sub, roles, request_id, iat, exp } = decodeJwt(await mint.token("account", alice, "request-1"));
  expect({ aud, sub, roles, request_id }).toEqual({ aud: "account", sub: "alice", roles: ["USER"], request_id: "request-1" });
  expect(exp! - iat!).toBeLessThanOrEqual(30);
});

test("every gateway publishes the public keys of all, and no private one", async () => {
  const [one, two] = [await started(), await started()];
  for (const mint of [one, two]) expect(await kidsOf(mint)).toEqual(expect.arrayContaining([await kidOf(one), await kidOf(two)]));
  for (const jwk of await one.keys()) expect(Object.keys(jwk).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"]);
});

test("a service verifies the token of any gateway with the keys that any other publishes", async () => {
  const [one, two] = [await started(), await started()];
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async () => Response.json({ keys: await two.keys() }) });
  const verify = tokenVerifier(`http://127.0.0.1:${server.port}/`, "account");
  expect((await verify(await one.token("account", alice, "r"))).userId).toBe("alice");
  await server.stop(true);
});

test("keys rotate, and the previous key stays published for its last tokens", async () => {
  const mint = await started(200);
  const first = await kidOf(mint);
  await until("it signs with another key", 5000, async () => (await kidOf(mint)) !== first);
  expect(await kidsOf(mint)).toEqual(expect.arrayContaining([first, await kidOf(mint)]));
});

test("a registry that was deleted is written again, and meanwhile no key is lost", async () => {
  const [one, two] = [await started(), await started()];
  await one.keys();
  await redis.send("DEL", registryKey);
  expect(await kidsOf(one)).toEqual(expect.arrayContaining([await kidOf(one), await kidOf(two)]));
  await until("both are in the registry again", 15_000, async () => {
    const registry = await redis.send<string[]>("HKEYS", registryKey);
    return registry.includes((await kidOf(one))!) && registry.includes((await kidOf(two))!);
  });
});

test("without Redis it still mints, and publishes its own key", async () => {
  const gone = await testRedis(server.redis.url);
  await gone.stop();
  const mint = await started(3_600_000, gone);
  expect(await kidsOf(mint)).toEqual([await kidOf(mint)]);
});

async function publicKey(): Promise<JWK & { kid: string }> {
  const { publicKey: key } = await generateKeyPair("EdDSA");
  return { ...(await exportJWK(key)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" };
}

/** A mint that tells what it refuses. */
async function watched() {
  const [health, metrics] = [createHealth(), createMetrics()];
  const integrity = createIntegrity({ secrets: [testSecret], log: silentLog, health, metrics });
  const mint = await started(3_600_000, redis, integrity);
  const count = async (fault: string) => {
    const { values } = await metrics.registry.getSingleMetric("kenri_gateway_store_refused_total")!.get();
    return values.filter(({ labels }) => labels.fault === fault).reduce((sum, { value }) => sum + value, 0);
  };
  return { mint, health, count };
}

test("a key that no gateway signed is not published: an attacker's key, a copy under another name, an expired one, garbage", async () => {
  const { mint, health, count } = await watched();
  const own = (await redis.send<string>("HGET", registryKey, (await kidOf(mint))!))!;
  const [planted, expired] = [await publicKey(), await publicKey()];
  const stranger = testIntegrity(["another-secret-another-secret-another"]);
  const place = (kid: string) => `${registryKey}:${kid}`;
  const entries: Record<string, string> = {
    [planted.kid]: JSON.stringify(planted),
    forged: stranger.sign(place("forged"), JSON.stringify({ jwk: { ...planted, kid: "forged" }, until: Number.MAX_SAFE_INTEGER })),
    copied: own,
    [expired.kid]: testIntegrity().sign(place(expired.kid), JSON.stringify({ jwk: expired, until: 1 })),
    garbage: "\0\n{",
    nothing: "",
  };
  for (const [kid, entry] of Object.entries(entries)) await redis.send("HSET", registryKey, kid, entry);
  try {
    await until("it is counted", 5000, async () => (await kidsOf(mint)) && (await count("unsigned")) === 3);
    const kids = await kidsOf(mint);
    for (const kid of [...Object.keys(entries), undefined]) expect(kids).not.toContain(kid);
    expect(kids).toContain(await kidOf(mint));
    expect([await count("forged"), await count("expired")]).toEqual([2, 1]);
    expect(health.troubles().redis_integrity).toContain("a gateway key that no gateway signed");
    expect(await redis.send<string | null>("HGET", registryKey, expired.kid)).toBeNull();
  } finally {
    await redis.send("HDEL", registryKey, ...Object.keys(entries));
  }
});

test("a key that is removed from the registry is no longer published within a second", async () => {
  const mint = await started();
  const registry = createKeyRegistry(redis, testIntegrity(), 60_000);
  const gone = await publicKey();
  await registry.announce(gone);
  await until("it is published", 5000, async () => (await kidsOf(mint)).includes(gone.kid));
  await registry.withdraw([gone.kid]);
  await until("it is no longer published", 1000, async () => !(await kidsOf(mint)).includes(gone.kid));
});

test("a gateway that stops withdraws its key", async () => {
  const [one, two] = [await started(), await started()];
  const kid = await kidOf(two);
  await until("both are published", 5000, async () => (await kidsOf(one)).includes(kid));
  await two.stop();
  await until("only one is", 1000, async () => !(await kidsOf(one)).includes(kid));
});

test("another value under the registry's Redis key is replaced, and the keys are still published", async () => {
  const mint = await started();
  await redis.send("SET", registryKey, "x");
  expect(await kidsOf(mint)).toContain(await kidOf(mint));
  await until("the registry is there again", 5000, async () => (await redis.send<string>("TYPE", registryKey)) === "hash");
});

test("during a rotation of the secret, entries signed with the previous one are valid", async () => {
  const [before, after] = ["before-before-before-before-before", "after-after-after-after-after-after"];
  const old = testIntegrity([before]);
  const both = testIntegrity([after, before]);
  expect(both.verify("session", "a", old.sign("a", "text"))).toBe("text");
  expect(old.verify("session", "a", both.sign("a", "text"))).toBeUndefined();
  expect(both.verify("session", "b", both.sign("a", "text"))).toBeUndefined();
});
