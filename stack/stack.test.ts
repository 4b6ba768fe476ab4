import { afterAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { databaseFrom, ensureDatabases } from "./databases.ts";
import { memoryFolder } from "./memory_folder.ts";
import { alive } from "./process_table.ts";
import { firstLine, scratchFolder } from "./scratch.ts";
import { forgetStack, startStack } from "./stack.ts";
import { until } from "./wait.ts";

const folders: string[] = [];
const newFolder = () => {
  const folder = scratchFolder();
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Pids {
  postgres: number;
  nats: number;
  watchdog: number;
  port: string;
}

/** A stack in another process that the test can kill. */
async function foreignStack(dir: string): Promise<{ child: Bun.Subprocess<"ignore", "pipe", "inherit">; pids: Pids }> {
  const script = `
    import { startStack } from ${JSON.stringify(join(import.meta.dir, "stack.ts"))};
    const stack = await startStack({ dir: ${JSON.stringify(dir)}, servers: ["postgres", "nats"], environment: {} });
    const { postgres, nats, watchdog } = stack;
    console.log(JSON.stringify({ postgres: postgres.pid, nats: nats.pid, watchdog: watchdog.pid, port: new URL(postgres.adminUrl).port }));
    setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, "-e", script], { cwd: import.meta.dir, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  return { child, pids: await firstLine<Pids>(child) };
}

test("the servers do not outlive a parent that is killed with -9", async () => {
  const { child, pids } = await foreignStack(newFolder());
  expect([pids.postgres, pids.nats].every(alive)).toBe(true);
  child.kill("SIGKILL");
  await until("both servers are gone", 10_000, () => !alive(pids.postgres) && !alive(pids.nats));
  await until("the watchdog is gone too", 10_000, () => !alive(pids.watchdog));
});

test("servers that outlive their parent and its watchdog are ended by the next start, which has the same ports and data", async () => {
  const dir = newFolder();
  const { child, pids } = await foreignStack(dir);
  process.kill(pids.watchdog, "SIGKILL");
  child.kill("SIGKILL");
  await child.exited;
  expect([pids.postgres, pids.nats].every(alive)).toBe(true);
  const stack = await startStack({ dir, servers: ["postgres", "nats"], environment: {} });
  try {
    expect([pids.postgres, pids.nats].some(alive)).toBe(false);
    expect(new URL(stack.postgres.adminUrl).port).toBe(pids.port);
  } finally {
    await stack.stop();
  }
});

test("a folder has one stack at a time", async () => {
  const dir = newFolder();
  const stack = await startStack({ dir, servers: [] });
  await expect(startStack({ dir, servers: [] })).rejects.toThrow(/in use by a running process/);
  await stack.stop();
  const next = await startStack({ dir, servers: [] });
  await next.stop();
});

test("a NATS of the environment is used and never stopped", async () => {
  const stack = await startStack({ dir: newFolder(), servers: ["nats"], environment: { NATS_URL: "nats://elsewhere:4222" } });
  expect(stack.nats.url).toBe("nats://elsewhere:4222");
  expect(stack.nats.roleUrls).toEqual({});
  expect(() => stack.nats.kill("SIGKILL")).toThrow(/NATS_URL/);
  await stack.stop();
});

test("databases and roles are made once, are the same at a second start, and are closed to others", async () => {
  const dir = newFolder();
  const credentials = join(dir, "databases.json");
  const stack = await startStack({ dir, servers: ["postgres"], environment: {} });
  try {
    const first = await ensureDatabases(stack.postgres.adminUrl, credentials, ["apples", "pears"]);
    const second = await ensureDatabases(stack.postgres.adminUrl, credentials, ["apples", "pears"]);
    expect(second).toEqual(first);
    const owner = postgres(first.apples!.ownerUrl, { max: 1 });
    await owner`create table trees (id int)`;
    await owner.end();
    const app = postgres(first.apples!.appUrl, { max: 1 });
    const [me] = await app`select current_user as name, current_database() as db`;
    expect(me).toEqual({ name: "apples_app", db: "apples" });
    await expect(app`create table weeds (id int)`.execute()).rejects.toThrow(/permission denied/);
    await app.end();
    const stranger = postgres(first.apples!.appUrl.replace(/apples$/, "pears"), { max: 1 });
    await expect(stranger`select 1`.execute()).rejects.toThrow(/permission denied for database/);
    await stranger.end();
  } finally {
    await stack.stop();
  }
});

test.each([false, true])("a killed PostgreSQL is restarted with all committed data (in memory: %p)", async postgresInMemory => {
  const dir = newFolder();
  const stack = await startStack({ dir, servers: ["postgres"], environment: {}, postgresInMemory });
  try {
    const write = postgres(stack.postgres.adminUrl, { max: 1 });
    await write`create table kept as select 7 as n`;
    await write.end();
    const pid = stack.postgres.pid;
    stack.postgres.kill("SIGKILL");
    await until("another postmaster", 10_000, () => ![pid, undefined].includes(stack.postgres.pid));
    await stack.postgres.start(); // waits for the start under way
    const read = postgres(stack.postgres.adminUrl, { max: 1 });
    const [kept] = await read`select n from kept`;
    expect(kept?.n).toBe(7);
    const [data] = await read`show data_directory`;
    expect([join(dir, "postgres", "data"), join(memoryFolder(dir), "data")]).toContain(data?.data_directory);
    await read.end();
  } finally {
    await stack.stop();
  }
  forgetStack(dir);
  expect([dir, memoryFolder(dir)].filter(place => existsSync(place))).toEqual([]);
});

test("one database URL in the environment requires the other", () => {
  expect(databaseFrom({}, "entitlement")).toBeUndefined();
  expect(() => databaseFrom({ ENTITLEMENT_DATABASE_URL: "postgres://x/y" }, "entitlement")).toThrow(
    /ENTITLEMENT_APP_DATABASE_URL must be set/,
  );
  expect(() => databaseFrom({ ENTITLEMENT_APP_DATABASE_URL: "postgres://x/y" }, "entitlement")).toThrow(
    /ENTITLEMENT_DATABASE_URL must be set/,
  );
  expect(databaseFrom({ ENTITLEMENT_DATABASE_URL: "a", ENTITLEMENT_APP_DATABASE_URL: "b" }, "entitlement")).toEqual({
    ownerUrl: "a",
    appUrl: "b",
  });
});
