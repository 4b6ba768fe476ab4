import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "bun";
import postgres from "postgres";
import { parse } from "yaml";
import { systems } from "../server/systems.ts";
import { testBrowser } from "../server/testing/browser.ts";
import { freePort, gatewayPlace, startGateway } from "../server/testing/gateway.ts";
import { testKenri } from "../server/testing/kenri.ts";
import { privateServers } from "../server/testing/servers.ts";
import { checkout } from "./checkout.ts";
import { completeEnv, requiredVariables } from "./compose_env.ts";
import { findRedis } from "./redis_binary.ts";
import { scratchFolder } from "./scratch.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";

// Without containers: the stores of this machine get the configuration that compose.yaml mounts.
const compose = readFileSync(join(checkout, "compose.yaml"), "utf8");
const values = Object.fromEntries(
  completeEnv("", requiredVariables(compose))
    .text.trim()
    .split("\n")
    .map(line => line.split(/=(.*)/s) as [string, string]),
);
const { configs } = parse(compose, { merge: true }) as { configs: Record<string, { content?: string }> };
const filledIn = (text: string) => text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => values[name]!);
const contentOf = (config: string) => filledIn(configs[config]!.content!);

const dir = scratchFolder();
let redis: ServerProcess;
let redisPort: number;
beforeAll(async () => {
  redisPort = await freePort();
  const [store, file] = [join(dir, "store"), join(dir, "kenri.conf")];
  mkdirSync(store, { recursive: true });
  writeFileSync(file, `${contentOf("redis").replace("dir /data", `dir ${store}`)}\nbind 127.0.0.1\nport ${redisPort}\n`);
  const binary = await findRedis({ say: () => {} });
  redis = superviseServer({
    name: "redis",
    dir,
    command: [binary.path, file],
    env: binary.env,
    ready: async () => (await asGateway("PING")) === "PONG",
  });
  await redis.start();
});
afterAll(async () => {
  await redis.stop();
  rmSync(dir, { recursive: true, force: true });
});

const redisUrl = () => `redis://kenri:${values.KENRI_REDIS_PASSWORD}@127.0.0.1:${redisPort}`;
async function ask(url: string, command: string, ...args: string[]): Promise<unknown> {
  const client = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false });
  try {
    await client.connect();
    return await client.send(command, args);
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.close();
  }
}
const asGateway = (command: string, ...args: string[]) => ask(redisUrl(), command, ...args);

test("the Redis of compose.yaml has only the gateway's user, which can use the keys of Kenri and cannot administer the server", async () => {
  for (const url of [
    `redis://127.0.0.1:${redisPort}`,
    `redis://:${values.KENRI_REDIS_PASSWORD}@127.0.0.1:${redisPort}`,
    redisUrl().slice(0, -1).replace("kenri:", "kenri:x"),
  ])
    expect(await ask(url, "GET", "kenri:x")).not.toBe(null);
  expect(await asGateway("GET", "kenri:x")).toBe(null);
  expect(await asGateway("SET", "other", "1")).toContain("NOPERM");
  for (const [command = "", ...args] of [["FLUSHALL"], ["CONFIG", "GET", "*"], ["ACL", "LIST"], ["KEYS", "*"], ["SHUTDOWN"]])
    expect(await asGateway(command, ...args)).toContain("NOPERM");
});

test("that user is enough for a gateway: sign-in, tokens for services, limits, sign-out everywhere", async () => {
  const kenri = await testKenri();
  try {
    const place = await gatewayPlace();
    await kenri.start("account:api entitlement:api notification:api", place.forServices);
    const gateway = await startGateway(kenri, place, { REDIS_URL: redisUrl() });
    const [alice, admin] = [testBrowser(), testBrowser()];
    await Promise.all([alice.signIn(gateway.url, "alice"), admin.signIn(gateway.url, "admin")]);
    const me = (await (await alice.fetch(`${gateway.url}/v1/me`)).json()) as { user_id: string };
    expect((await alice.fetch(`${gateway.url}/v1/users/${me.user_id}/profile`)).status).toBe(200);
    expect((await admin.fetch(`${gateway.url}/admin/api/users/${me.user_id}/sessions`)).status).toBe(200);
    const out = await admin.send(gateway.url, "POST", `/admin/api/users/${me.user_id}/sign-out`, { reason: "test" });
    expect([out.status, (await alice.fetch(`${gateway.url}/v1/me`)).status]).toEqual([200, 401]);
    expect((await admin.call(gateway.url, "/logout", { method: "POST" })).status).toBe(204);
    expect(gateway.process.lines.filter(line => line.includes("NOPERM"))).toEqual([]);
  } finally {
    await kenri.close();
  }
});

test("each password of compose.yaml opens one database as one role, and no other", async () => {
  const own = await privateServers("postgres");
  try {
    const admin = postgres(own.postgres.adminUrl, { max: 1, onnotice: () => {} });
    await make(admin, contentOf("databases"));
    await admin.end();
    const stored = systems.filter(({ database }) => database).map(({ name }) => name);
    const secretOf = (role: string) => values[`KENRI_${role.toUpperCase()}_PASSWORD`]!;
    const roles = stored.flatMap(system => [`${system}_owner`, `${system}_app`]);
    const opens = async (role: string, password: string, database: string) => {
      const url = Object.assign(new URL(own.postgres.adminUrl), { username: role, password, pathname: `/${database}` });
      const sql = postgres(url.href, { max: 1, onnotice: () => {} });
      return sql`select 1`
        .then(
          () => true,
          () => false,
        )
        .finally(() => sql.end({ timeout: 1 }));
    };
    const tries = roles.flatMap(role => {
      const home = role.split("_")[0]!;
      return [
        ...stored.map(database => ({ role, secret: role, database })),
        ...roles.filter(other => other !== role).map(secret => ({ role, secret, database: home })),
      ];
    });
    const outcomes = await Promise.all(tries.map(({ role, secret, database }) => opens(role, secretOf(secret), database)));
    expect(tries.filter((_, index) => outcomes[index])).toEqual(roles.map(role => ({ role, secret: role, database: role.split("_")[0]! })));
  } finally {
    await own.stop();
  }
});

/** Runs the script as psql does: variables from the environment, then one statement after the other. */
async function make(sql: postgres.Sql, script: string): Promise<void> {
  const variables: Record<string, string> = {};
  for (const line of script.split("\n").filter(Boolean)) {
    const [, name, variable] = /^\\getenv (\w+) (\w+)$/.exec(line) ?? [];
    if (name && variable) variables[name] = values[variable]!;
    else await sql.unsafe(line.replace(/:'(\w+)'/g, (_, used: string) => `'${variables[used]}'`));
  }
}
