import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { until } from "../../../stack/wait.ts";
import { privateServers } from "../../testing/servers.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { createRedis, type Redis, RedisAway, type Script } from "./redis.ts";

let servers: Awaited<ReturnType<typeof privateServers<"redis">>>;
const open: Redis[] = [];
beforeAll(async () => {
  servers = await privateServers("redis");
});
afterAll(async () => {
  await Promise.all(open.map(one => one.stop()));
  await servers.stop();
});

async function connected(more: { readonly url?: string; readonly scripts?: readonly Script[] } = {}) {
  const health = createHealth();
  const redis = createRedis({ url: servers.redis.url, deadline: 300, log: silentLog, health, metrics: createMetrics(), ...more });
  open.push(redis);
  await redis.start();
  await until("it is connected", 5000, () => redis.connected());
  return { redis, health };
}

const text = "return {ARGV[1], redis.call('INCR', KEYS[1])}";
const scriptOf = (name: string, text: string): Script => ({ name, text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") });
const counts = scriptOf("test", text);
const refusal = (asking: Promise<unknown>) => asking.catch(error => error);

describe("the connection to Redis", () => {
  test("loads its scripts at the connection; one with an error is reported, and the others work", async () => {
    const broken: Script = { name: "broken", text: "return (", sha: "0".repeat(40) };
    const fresh: Script = { name: "fresh", text: `return '${crypto.randomUUID()}'`, sha: "" };
    const sha = new Bun.CryptoHasher("sha1").update(fresh.text).digest("hex");
    const { redis } = await connected({ scripts: [broken, fresh] });
    expect(await redis.send<number[]>("SCRIPT", "EXISTS", sha)).toEqual([1]);
    expect(String(await refusal(redis.run(broken, [], [])))).toContain("Error compiling script");
    await redis.stop();
  });

  test("that is cut while the scripts are loaded is made again", async () => {
    let cuts = 0;
    const { port, hostname } = new URL(servers.redis.url);
    const proxy = createServer(client => {
      const server = connect(Number(port), hostname);
      for (const socket of [client, server]) socket.on("error", () => {});
      server.pipe(client);
      client.on("data", data => {
        if (cuts === 3 || !data.includes("SCRIPT")) return server.write(data);
        cuts++;
        for (const socket of [client, server]) socket.destroy();
      });
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const url = servers.redis.url.replace(port, String((proxy.address() as AddressInfo).port));
    const { redis, health } = await connected({ url, scripts: [counts] });
    expect(cuts).toBe(3);
    expect(await redis.run<unknown[]>(counts, ["cut"], ["x"])).toEqual(["x", 1]);
    expect(health.troubles()).toEqual({});
    await redis.stop();
    proxy.close();
  });

  test("works, runs scripts that the server has not loaded, and passes on errors of the server", async () => {
    const { redis, health } = await connected();
    expect(await redis.send<string>("SET", "a", 1)).toBe("OK");
    expect(await redis.run<unknown[]>(counts, ["n"], ["x"])).toEqual(["x", 1]);
    await redis.send("SCRIPT", "FLUSH");
    expect(await redis.run<unknown[]>(counts, ["n"], ["x"])).toEqual(["x", 2]);
    expect(await refusal(redis.send("INCR"))).not.toBeInstanceOf(RedisAway);
    expect(redis.connected()).toBe(true);
    expect(health.troubles()).toEqual({});
  });

  test("to a server that is killed fails at once, reports it, and reconnects by itself", async () => {
    const { redis, health } = await connected();
    await servers.redis.halt();
    await until("it knows", 5000, () => !redis.connected());
    const since = performance.now();
    expect(await refusal(redis.send("GET", "a"))).toBeInstanceOf(RedisAway);
    expect(performance.now() - since).toBeLessThan(300); // the deadline: it does not wait for it
    expect(health.troubles()).toEqual({ redis: "Redis is not connected" });
    await servers.redis.start();
    await until("it is back", 10_000, () => redis.connected());
    expect(await redis.run<unknown[]>(counts, ["m"], ["x"])).toEqual(["x", 1]);
    expect(health.troubles()).toEqual({});
  });

  test("to a server that hangs fails after its deadline, once, and reconnects by itself", async () => {
    const { redis } = await connected();
    servers.redis.pause();
    const asked = await Promise.all([refusal(redis.send("GET", "a")), refusal(redis.send("GET", "b"))]);
    expect(asked.every(error => error instanceof RedisAway)).toBe(true);
    expect(await refusal(redis.send("GET", "a"))).toBeInstanceOf(RedisAway);
    servers.redis.resume();
    await until("it is back", 10_000, () => redis.connected());
    expect(await redis.send<string>("PING")).toBe("PONG");
  });

  test("to a server that is unusable fails as if it were away, reports why, and recovers", async () => {
    const { redis, health } = await connected();
    await redis.send("CONFIG", "SET", "maxmemory", "1");
    expect(await refusal(redis.send("SET", "a", "1"))).toBeInstanceOf(RedisAway);
    expect(await refusal(redis.run(counts, ["n"], ["x"]))).toBeInstanceOf(RedisAway);
    expect(health.troubles().redis).toContain("OOM");
    expect(redis.connected()).toBe(true);
    await redis.send("CONFIG", "SET", "maxmemory", "0");
    expect(await redis.send<string>("SET", "a", "1")).toBe("OK");
    expect(health.troubles()).toEqual({});
  });

  test("of a user without a permission fails as if Redis were away, reports what to permit, and recovers", async () => {
    const { redis: admin } = await connected();
    await admin.send("ACL", "SETUSER", "limited", "on", ">hunter2", "~a", "+@all", "-get");
    const health = createHealth();
    const warned: object[] = [];
    const log = {
      ...silentLog,
      warn: () => {},
      error: (entry: object) => void warned.push(entry),
      info: () => {},
    } as unknown as typeof silentLog;
    const address = new URL(servers.redis.url);
    Object.assign(address, { username: "", password: "" });
    const given = { url: address.href, user: "limited", password: "hunter2" };
    const redis = createRedis({ ...given, deadline: 300, log, health, metrics: createMetrics() });
    open.push(redis);
    await redis.start();
    expect(await redis.send<string>("SET", "a", "1")).toBe("OK");
    for (let time = 0; time < 3; time++) expect(await refusal(redis.send("GET", "a"))).toBeInstanceOf(RedisAway);
    expect(await redis.send<string>("SET", "a", "2")).toBe("OK");
    expect(health.troubles().redis).toContain("(NOPERM): compare the ACL user");
    expect(warned).toHaveLength(1);
    await admin.send("ACL", "SETUSER", "limited", "+get");
    expect(await redis.send<string>("GET", "a")).toBe("2");
    expect(health.troubles()).toEqual({});
  });

  test("the same for a command inside a script, until that script succeeds", async () => {
    const { redis: admin } = await connected();
    await admin.send("ACL", "SETUSER", "scripting", "on", ">hunter2", "~a", "+@all", "-get");
    const health = createHealth();
    const address = Object.assign(new URL(servers.redis.url), { username: "scripting", password: "hunter2" });
    const redis = createRedis({ url: address.href, deadline: 300, log: silentLog, health, metrics: createMetrics() });
    open.push(redis);
    await redis.start();
    const [reads, exists] = [
      scriptOf("reads", "return redis.call('GET', KEYS[1])"),
      scriptOf("exists", "return redis.call('EXISTS', KEYS[1])"),
    ];
    expect(await refusal(redis.run(reads, ["a"], []))).toBeInstanceOf(RedisAway);
    await redis.run(exists, ["a"], []);
    expect(health.troubles().redis).toContain("(NOPERM)");
    await admin.send("ACL", "SETUSER", "scripting", "+get");
    await redis.run(reads, ["a"], []);
    expect(health.troubles()).toEqual({});
    await admin.send("ACL", "SETUSER", "scripting", "resetkeys", "~b");
    expect(await refusal(redis.run(scriptOf("other", "return redis.call('EXISTS', 'a')"), [], []))).toBeInstanceOf(RedisAway);
  });

  test("is made when the password becomes right, and until then each reason is logged once and is in health", async () => {
    const { redis: admin } = await connected();
    const health = createHealth();
    const warned: { why?: string }[] = [];
    const log = {
      ...silentLog,
      warn: () => {},
      error: (entry: object) => void warned.push(entry),
      info: () => {},
    } as unknown as typeof silentLog;
    const address = new URL(servers.redis.url);
    Object.assign(address, { username: "", password: "" });
    const redis = createRedis({
      url: address.href,
      user: "late",
      password: "hunter2",
      deadline: 300,
      log,
      health,
      metrics: createMetrics(),
    });
    open.push(redis);
    await redis.start();
    await until("it says why", 5000, () => health.troubles().redis?.includes("(WRONGPASS): check REDIS_URL") === true);
    await admin.send("ACL", "SETUSER", "late", "on", ">hunter2", "~*", "+@all");
    await until("it is connected", 5000, () => redis.connected());
    expect(health.troubles()).toEqual({});
    expect(warned.map(({ why }) => why)).toEqual([expect.stringContaining("WRONGPASS")]);
    expect(JSON.stringify(warned)).not.toContain("hunter2");
  });

  test("starts without the server, and fails after a stop", async () => {
    const redis = createRedis({
      url: "redis://127.0.0.1:1",
      deadline: 300,
      log: silentLog,
      health: createHealth(),
      metrics: createMetrics(),
    });
    await redis.start();
    expect(await refusal(redis.send("PING"))).toBeInstanceOf(RedisAway);
    await redis.stop();
    expect(await refusal(redis.send("PING"))).toBeInstanceOf(RedisAway);
  });
});
