import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runOrFail } from "./command.ts";

const version = "2.14.5";

/** The published checksums, as its packagers pin them (nats-io/nats-docker for Linux, hermit for macOS). */
const checksums: Record<string, string> = {
  "linux-amd64": "5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355",
  "linux-arm64": "673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c",
  "darwin-amd64": "f95c98d6b6ed2b63c5681b46b092c9585c99767d547cf495730c329234625e96",
  "darwin-arm64": "ddd907854d9a2de834af133fa396915fe6442fe6d8909ae31390d1ea7a0fea50",
};

/** The project's official release, only with the known checksum. */
export async function fetchNatsRelease(target: string, say: (line: string) => void): Promise<void> {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const expected = checksums[platform];
  if (expected === undefined) throw new Error(`the official release: no checksum known for ${platform}`);
  const name = `nats-server-v${version}-${platform}`;
  const url = `https://github.com/nats-io/nats-server/releases/download/v${version}/${name}.tar.gz`;
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), "release-"));
  try {
    say(`NATS: downloading the official release ${version}`);
    const bytes = await download(url);
    const actual = createHash("sha256").update(bytes).digest("hex");
    if (actual !== expected) throw new Error(`the official release: ${url} has checksum ${actual}, expected ${expected}`);
    writeFileSync(join(work, "release.tar.gz"), bytes);
    await runOrFail("unpacking nats-server", ["tar", "-xzf", join(work, "release.tar.gz"), "-C", work]);
    renameSync(join(work, name, "nats-server"), target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function download(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(120_000) });
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new Error(`the official release: ${url}: ${(error as Error).message}`);
  }
}
