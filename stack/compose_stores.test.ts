import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "bun";
import postgres from "postgres";
import { parse } from "yaml";
import { needsOf, rolesOf } from "../server/kernel/system/system.ts";
import { systems } from "../server/systems.ts";
import { testBrowser } from "../server/testing/browser.ts";
import { freePort, gatewayPlace, startGateway } from "../server/testing/gateway.ts";
import { testKenri } from "../server/testing/kenri.ts";
import { testMatchmaking } from "../server/testing/matchmaking.ts";
import { privateServers } from "../server/testing/servers.ts";
import { checkout } from "./checkout.ts";
import { completeEnv, requiredVariables } from "./compose_env.ts";
import { findRedis } from "./redis_binary.ts";
import { scratchFolder } from "./scratch.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import { until } from "./wait.ts";

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
    ready: async () => (await askAs("gateway", "PING")) === "PONG",
  });
  await redis.start();
});
afterAll(async () => {
  await redis.stop();
  rmSync(dir, { recursive: true, force: true });
});

const users = ["gateway", "matchmaking"] as const;
type User = (typeof users)[number];
const passwordOf = (user: User) => values[`KENRI_REDIS_${user.toUpperCase()}_PASSWORD`]!;
const redisUrl = (user: User, password = passwordOf(user)) => `redis://${user}:${password}@127.0.0.1:${redisPort}`;
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
const askAs = (user: User, command: string, ...args: string[]) => ask(redisUrl(user), command, ...args);
const keyOf = { gateway: "kenri:limit:{address:x}", matchmaking: "kenri:matchmaking:{casual}:number" } as const;

test("the Redis of compose.yaml has a user for each system that uses it, with the keys of this system only", async () => {
  const using = systems.filter(system => rolesOf(system).some(role => needsOf(system, role).includes("redis"))).map(({ name }) => name);
  expect(using.toSorted()).toEqual([...users]);
  for (const user of users) {
    const [other] = users.filter(one => one !== user) as [User];
    for (const url of [`redis://127.0.0.1:${redisPort}`, `redis://:${passwordOf(user)}@127.0.0.1:${redisPort}`])
      expect([url, await ask(url, "GET", keyOf[user])]).not.toEqual([url, null]);
    expect(await ask(redisUrl(user, passwordOf(other)), "GET", keyOf[user])).not.toBe(null);
    expect([user, await askAs(user, "GET", keyOf[user])]).toEqual([user, null]);
    const readIn = (key: string) => askAs(user, "EVAL", "return redis.call('GET', KEYS[1])", "1", key);
    expect([user, await readIn(keyOf[user])]).toEqual([user, null]);
    for (const key of [keyOf[other], "other", "kenri:other"]) {
      expect([user, key, await askAs(user, "SET", key, "1")]).toEqual([user, key, expect.stringContaining("NOPERM")]);
      expect([user, key, await readIn(key)]).toEqual([user, key, expect.stringMatching(/NOPERM|ACL failure|can't access/)]);
    }
  }
});

test.each(users)("the user %s cannot administer the server, list keys, remove scripts, or publish", async user => {
  const refused = ["FLUSHALL", "CONFIG GET *", "ACL LIST", "KEYS *", "SCAN 0", "RANDOMKEY", "DBSIZE", "SHUTDOWN", "CLIENT LIST", "INFO"];
  for (const line of [...refused, "SCRIPT FLUSH", "FUNCTION LIST", "PUBLISH kenri:x 1", "MONITOR", "REPLICAOF NO ONE"]) {
    const [command = "", ...args] = line.split(" ");
    expect([line, await askAs(user, command, ...args)]).toEqual([line, expect.stringContaining("NOPERM")]);
  }
});

/** The commands in the code and the scripts of a system. Of a container command also the subcommand. */
function commandsOf(system: User): string[][] {
  const room = join(checkout, "server", system);
  const files = [...new Bun.Glob("**/*.{ts,lua}").scanSync(room)].filter(file => !file.endsWith(".test.ts"));
  const text = files.map(file => readFileSync(join(room, file), "utf8")).join("\n");
  const found = text.matchAll(/(?:redis\.p?call\('|\bsend(?:<.*>)?\(")([A-Z]+)['"](?:, '([A-Z]+)')?/g);
  const all = [...found].map(([, command = "", word]) => (/^(XGROUP|XINFO)$/.test(command) ? [command, word!] : [command]));
  return [...new Map(all.map(words => [words.join(" "), words])).values()];
}

test.each(users)("the user %s is permitted every command that its system uses", async user => {
  const commands = commandsOf(user);
  expect(commands.length).toBeGreaterThan(15);
  const isPermitted = (words: string[]) =>
    askAs(user, "EVAL", "return redis.acl_check_cmd(unpack(ARGV)) and 1 or 0", "0", ...words, ...Array(4).fill(keyOf[user]));
  const refused = await Promise.all(commands.map(async words => ((await isPermitted(words)) === 1 ? [] : [words.join(" ")])));
  expect(refused.flat()).toEqual([]);
  expect(await isPermitted(["SCAN"])).toBe(0);
});

test("that Redis answers only after its append-only file is on the disk", () => {
  const file = readFileSync(join(dir, "kenri.conf"), "utf8");
  expect(file).toMatch(/^\s*appendonly yes$/m);
  expect(file).toMatch(/^\s*appendfsync always$/m);
});

test("docs/security.md shows the rules of the two users", () => {
  const rulesIn = (text: string) =>
    [...text.matchAll(/^ *user (\w+) on >\S+(?: top of compose\.yaml})?(?<rules> ~.*)$/gm)].map(([, user, rules]) => [user, rules]);
  expect(rulesIn(readFileSync(join(checkout, "docs", "security.md"), "utf8"))).toEqual(rulesIn(contentOf("redis")));
  expect(rulesIn(contentOf("redis")).map(([user]) => user)).toEqual([...users]);
});

test("the user gateway is enough for a gateway: sign-in, tokens for services, limits, sign-out everywhere", async () => {
  const kenri = await testKenri();
  try {
    const place = await gatewayPlace();
    await kenri.start("account:api entitlement:api notification:api", place.forServices);
    const gateway = await startGateway(kenri, place, { REDIS_URL: redisUrl("gateway") });
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

test("the user matchmaking is enough for matchmaking: join, pair, publish, confirm, expire, cancel, and what operators read", async () => {
  const matchmaking = await testMatchmaking({ REDIS_URL: redisUrl("matchmaking"), MATCHMAKING_MODES: "casual:fifo:60s,rank:rating:300ms" });
  try {
    const { kenri, join, read, ask: send, ops } = matchmaking;
    const processes = [
      await kenri.start("notification:consumer"),
      await kenri.start("matchmaking:api"),
      ...(await Promise.all(["matchmaking:matcher", "matchmaking:relay"].map(role => kenri.start(role)))),
    ];
    const [alice] = [await join("alice"), await join("bob")];
    const alone = await join("carol", { mode: "rank", attributes: { rating: 1 } });
    await until("the match is announced", 20_000, async () => {
      const { matches } = await ops<{ matches: { state: string }[] }>("matches");
      return matches[0]?.state === "ANNOUNCED";
    });
    await until("the other ticket has expired", 10_000, async () => (await read("carol", alone.ticket_id)).status === "EXPIRED");
    expect((await read("alice", alice.ticket_id)).peer_user_ids).toEqual(["bob"]);
    const again = await join("carol");
    expect((await send("carol", "DELETE", `/v1/matchmaking/tickets/${again.ticket_id}`)).status).toBe(200);
    for (const path of ["queues", "ended-tickets", "players/alice/tickets", `tickets/${alice.ticket_id}`, "health"]) await ops(path);
    expect(processes.flatMap(({ lines }) => lines.filter(line => line.includes("NOPERM")))).toEqual([]);
  } finally {
    await matchmaking.close();
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
