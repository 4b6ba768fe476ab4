import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./command.ts";
import { findPrometheus } from "./prometheus_binary.ts";
import { scratchFolder } from "./scratch.ts";

const folder = scratchFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasApt = (await run(["apt-get", "--version"])).code === 0;
const say = () => {};

/** A folder with programs that only tell their version. */
function fakes(name: string, versions: Record<string, string>): string {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  for (const [program, version] of Object.entries(versions))
    writeFileSync(join(place, program), `#!/bin/sh\necho "${program}, version ${version} (branch: HEAD)"\n`, { mode: 0o755 });
  return place;
}
const both = (name: string, version: string) => fakes(name, { prometheus: version, promtool: version });

test("an accepted version on PATH comes first, an older one is skipped", async () => {
  const [old, good, kept] = [both("old", "2.41.0"), both("good", "2.42.0+ds"), both("kept", "3.5.1")];
  expect(await findPrometheus({ say, path: `/nowhere:${old}:${good}`, bin: kept })).toEqual({
    prometheus: join(good, "prometheus"),
    promtool: join(good, "promtool"),
    version: [2, 42],
  });
  expect(await findPrometheus({ say, path: old, bin: kept })).toMatchObject({ promtool: join(kept, "promtool"), version: [3, 5] });
});

test("a folder with one of the two, or with two versions, is skipped", async () => {
  const [alone, mixed, kept] = [
    fakes("alone", { prometheus: "2.53.0" }),
    fakes("mixed", { prometheus: "3.5.0", promtool: "2.53.0" }),
    both("complete", "2.53.0"),
  ];
  expect((await findPrometheus({ say, path: `${alone}:${mixed}`, bin: kept })).prometheus).toBe(join(kept, "prometheus"));
});

test.skipIf(!hasApt)("without them on PATH the distribution's package is unpacked once, and nothing else is left beside them", async () => {
  const bin = join(folder, "bin");
  const said: string[] = [];
  const search = { say: (line: string) => void said.push(line), path: "", bin };
  const found = await findPrometheus(search);
  expect(found).toMatchObject({ prometheus: join(bin, "prometheus"), promtool: join(bin, "promtool") });
  expect(said[0]).toContain("package lists");
  expect(readdirSync(bin).toSorted()).toEqual(["prometheus", "promtool"]);
  said.length = 0;
  expect(await findPrometheus(search)).toEqual(found);
  expect(said).toEqual([]);
});

test("without them, the message says what to install", async () => {
  const blocked = join(folder, "blocked");
  writeFileSync(blocked, "a file where a folder should be");
  await expect(findPrometheus({ say, path: "", bin: blocked })).rejects.toThrow(/apt install prometheus[\s\S]*What was tried: /);
});
