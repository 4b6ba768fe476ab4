import { afterAll, beforeAll, expect, test } from "bun:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { until } from "../../stack/wait.ts";
import { silentLog } from "../kernel/log.ts";
import { createMetrics } from "../kernel/metrics.ts";
import type { Redis } from "../kernel/redis.ts";
import { tokenVerifier } from "../kernel/tokens.ts";
import { testRedis } from "../testing/redis.ts";
import { createMint, type Mint } from "./mint.ts";

let redis: Redis;
const open: Mint[] = [];
beforeAll(async () => {
  redis = await testRedis();
});
afterAll(async () => {
  await Promise.all(open.map(one => one.stop()));
  await redis.stop();
});

async function started(rotation = 3_600_000, connection = redis): Promise<Mint> {
  const mint = createMint({ redis: connection, life: 30_000, rotation, announceEvery: 500, log: silentLog, metrics: createMetrics() });
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

test("a service takes the token of any gateway from the keys of any other", async () => {
  const [one, two] = [await started(), await started()];
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: async () => Response.json({ keys: await two.keys() }) });
  const verify = tokenVerifier(`http://127.0.0.1:${server.port}/`, "account");
  expect((await verify(await one.token("account", alice, "r"))).userId).toBe("alice");
  await server.stop(true);
});

test("keys change, and the one before stays published for its last tokens", async () => {
  const mint = await started(200);
  const first = await kidOf(mint);
  await until("it signs with another key", 5000, async () => (await kidOf(mint)) !== first);
  expect(await kidsOf(mint)).toEqual(expect.arrayContaining([first, await kidOf(mint)]));
});

test("a board that was wiped is written again, and meanwhile nobody's key is forgotten", async () => {
  const [one, two] = [await started(), await started()];
  await one.keys();
  await redis.send("DEL", "kenri:gateway-keys");
  expect(await kidsOf(one)).toEqual(expect.arrayContaining([await kidOf(one), await kidOf(two)]));
  await until("both are on the board again", 15_000, async () => {
    const board = (await redis.send<string[]>("ZRANGE", "kenri:gateway-keys", 0, -1)).join();
    return board.includes((await kidOf(one))!) && board.includes((await kidOf(two))!);
  });
});

test("without Redis it mints all the same, and publishes its own key", async () => {
  const gone = await testRedis();
  await gone.stop();
  const mint = await started(3_600_000, gone);
  expect(await kidsOf(mint)).toEqual([await kidOf(mint)]);
});
