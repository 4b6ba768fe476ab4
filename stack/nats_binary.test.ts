import { afterAll, expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { run } from "./command.ts";
import { findNats } from "./nats_binary.ts";
import { scratchFolder } from "./scratch.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const asRoot = process.getuid?.() === 0;
const hasApt = (await run(["apt-get", "--version"])).code === 0;

function fakeNats(name: string, version: string): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "nats-server"), `#!/bin/sh\necho "nats-server: v${version}"\n`, { mode: 0o755 });
  return place;
}

test("an accepted version on PATH comes first, an older one is skipped", async () => {
  const [old, good, kept] = [fakeNats("old", "2.8.4"), fakeNats("good", "2.9.0"), fakeNats("kept", "2.14.5")];
  const say = () => {};
  expect((await findNats({ say, path: `/nowhere:${old}:${good}`, bin: kept })).path).toBe(join(good, "nats-server"));
  expect(await findNats({ say, path: old, bin: kept })).toEqual({ path: join(kept, "nats-server"), version: [2, 14] });
});

test.skipIf(!hasApt)("without one on PATH the distribution's package is unpacked, and nothing else is left beside it", async () => {
  const bin = join(folder, "bin");
  const said: string[] = [];
  const found = await findNats({ say: line => said.push(line), path: "", bin });
  expect(found.path).toBe(join(bin, "nats-server"));
  expect(said[0]).toContain("package lists");
  expect(readdirSync(bin)).toEqual(["nats-server"]);
});

// The checkout's own bun: the one that runs this test may be in root's home.
const bun = join(checkout, "node_modules", ".bin", "bun");
const asNobody = { cwd: "/", env: { PATH: process.env.PATH, HOME: "/nonexistent" }, uid: 65534, gid: 65534, within: 120_000 };
const nobodyCanRunIt = asRoot && (await run([bun, "--version"], asNobody)).code === 0;

test.skipIf(!hasApt || !nobodyCanRunIt)("an unprivileged user gets the package too", async () => {
  const bin = join(folder, "bin-of-nobody");
  mkdirSync(bin);
  chownSync(bin, 65534, 65534);
  const script = `
    import { findNats } from ${JSON.stringify(join(import.meta.dir, "nats_binary.ts"))};
    console.log((await findNats({ say: () => {}, path: "", bin: ${JSON.stringify(bin)} })).path);`;
  const result = await run([bun, "-e", script], asNobody);
  expect(result.output).toBe(join(bin, "nats-server"));
});

test("without a nats-server, the message says what to install", async () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where a folder should be");
  chmodSync(blocked, 0o600);
  await expect(findNats({ say: () => {}, path: "", bin: blocked })).rejects.toThrow(/NATS_URL/);
});
