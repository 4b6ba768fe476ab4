import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { findRedis } from "./redis_binary.ts";
import { scratchFolder } from "./scratch.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasApt = (await run(["apt-get", "--version"])).code === 0;

function fakeServer(place: string, program: string, version: string): string {
  mkdirSync(join(folder, place), { recursive: true });
  writeFileSync(join(folder, place, program), `#!/bin/sh\necho "Server v=${version} sha=0"\n`, { mode: 0o755 });
  return join(folder, place);
}

test("an accepted version of Redis or Valkey on PATH comes first; an older one is skipped", async () => {
  const [old, valkey, redis] = [
    fakeServer("old", "redis-server", "6.0.16"),
    fakeServer("valkey", "valkey-server", "8.1.1"),
    fakeServer("redis", "redis-server", "7.0.0"),
  ];
  const find = async (path: string) => (await findRedis({ say: () => {}, path })).path;
  expect(await find(`/nowhere:${old}:${valkey}:${redis}`)).toBe(join(valkey, "valkey-server"));
  expect(await find(`${old}:${redis}`)).toBe(join(redis, "redis-server"));
});

test.skipIf(!hasApt)("without one on PATH the distribution's package is unpacked with its libraries, once", async () => {
  const copy = join(folder, "package", "redis");
  const said: string[] = [];
  const find = () => findRedis({ say: line => said.push(line), path: "", copy });
  const found = await find();
  expect(found.path).toStartWith(copy);
  const missing = (await run(["ldd", found.path], { env: found.env })).output.split("\n").filter(line => line.includes("not found"));
  expect(missing).toEqual([]);
  expect(readdirSync(join(folder, "package"))).toEqual(["redis"]);
  const saidAtFirst = said.length;
  expect(await find()).toEqual(found);
  expect(said).toHaveLength(saidAtFirst);
});

test("without Redis, the message says what to install", async () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where a folder should be");
  await expect(findRedis({ say: () => {}, path: "", copy: join(blocked, "redis") })).rejects.toThrow(/REDIS_URL/);
});
