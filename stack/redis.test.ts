import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "bun";
import { scratchFolder } from "./scratch.ts";
import { forgetStack, type Stack, startStack } from "./stack.ts";
import { until } from "./wait.ts";

let stack: Stack<"redis">;
beforeAll(async () => {
  stack = await startStack({ dir: scratchFolder(), servers: ["redis"], environment: {} });
});
afterAll(async () => {
  await stack.stop();
  forgetStack(stack.dir);
});

/** On a new connection each time, so that nothing comes from the client's memory. */
async function ask(command: string, ...args: string[]): Promise<unknown> {
  const client = new RedisClient(stack.redis.url, { connectionTimeout: 1_000, autoReconnect: false });
  try {
    return await Promise.race([client.send(command, args), Bun.sleep(500).then(() => "no answer")]);
  } finally {
    client.close();
  }
}

test("it requires its password, which is neither in the process list nor in a file that others can read", async () => {
  const { password, host } = new URL(stack.redis.url);
  expect(password.length).toBeGreaterThanOrEqual(24);
  const stranger = new RedisClient(`redis://${host}`, { connectionTimeout: 1_000, autoReconnect: false, enableOfflineQueue: false });
  await expect(stranger.connect()).rejects.toThrow();
  stranger.close();
  if (process.platform === "linux") expect(readFileSync(`/proc/${stack.redis.pid}/cmdline`, "utf8")).not.toContain(password);
  await ask("SET", "session", "kept");
  const files = [
    "redis.conf",
    "redis.password",
    ...(readdirSync(join(stack.dir, "redis"), { recursive: true }) as string[]).map(name => join("redis", name)),
  ];
  const open = ["redis", ...files].filter(name => (statSync(join(stack.dir, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(files.some(name => name.includes("appendonly"))).toBe(true);
});

test("it answers only after its append-only file is on the disk", async () => {
  expect(Object.values((await ask("CONFIG", "GET", "append*")) as object)).toEqual(expect.arrayContaining(["yes", "always"]));
});

test("it listens on loopback only", async () => {
  expect(new URL(stack.redis.url).hostname).toBe("127.0.0.1");
  expect(Object.values((await ask("CONFIG", "GET", "bind")) as object)).toContain("127.0.0.1");
});

test("only its owner can access the folder with its data", () => {
  expect(statSync(join(stack.dir, "redis")).mode & 0o777).toBe(0o700);
});

test("its data survives a stop; a killed server is restarted", async () => {
  expect(await ask("SET", "session", "kept")).toBe("OK");
  await stack.redis.stop();
  await stack.redis.start();
  expect(await ask("GET", "session")).toBe("kept");
  const pid = stack.redis.pid;
  stack.redis.kill("SIGKILL");
  await until("another process", 10_000, () => ![pid, undefined].includes(stack.redis.pid));
  await stack.redis.start(); // waits for the start under way
  expect(await ask("GET", "session")).toBe("kept");
});

test("a paused server does not answer, a resumed one does", async () => {
  stack.redis.pause();
  expect(await ask("PING")).toBe("no answer");
  stack.redis.resume();
  expect(await ask("PING")).toBe("PONG");
});

test("it can be wiped, but only while it is down", async () => {
  expect(() => stack.redis.wipe()).toThrow(/halt\(\) or stop\(\)/);
  await ask("SET", "session", "lost");
  await stack.redis.halt();
  stack.redis.wipe();
  await stack.redis.start();
  expect(await ask("GET", "session")).toBeNull();
});

test("a Redis and an IdP of the environment are used and never stopped", async () => {
  const environment = {
    REDIS_URL: "redis://elsewhere:6379",
    OIDC_ISSUER: "https://idp.test",
    OIDC_CLIENT_ID: "k",
    OIDC_CLIENT_SECRET: "s",
  };
  const other = await startStack({ dir: scratchFolder(), servers: ["redis", "idp"], environment });
  expect([other.redis.url, other.idp.issuer]).toEqual(["redis://elsewhere:6379", "https://idp.test"]);
  expect(() => other.redis.kill("SIGKILL")).toThrow(/REDIS_URL/);
  expect(() => other.idp.pause()).toThrow(/OIDC_ISSUER/);
  await other.stop();
  forgetStack(other.dir);
});

test("an issuer without its client is refused, and the servers that started with it are stopped", async () => {
  const dir = scratchFolder();
  const starting = startStack({ dir, servers: ["redis", "idp"], environment: { OIDC_ISSUER: "https://idp.test" } });
  await expect(starting).rejects.toThrow(/OIDC_CLIENT_ID and OIDC_CLIENT_SECRET/);
  expect(await Bun.file(`${dir}/redis.pid`).exists()).toBe(false);
  forgetStack(dir);
});
