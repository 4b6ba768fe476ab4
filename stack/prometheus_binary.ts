import { existsSync } from "node:fs";
import { join } from "node:path";
import { stackHome } from "./checkout.ts";
import { run } from "./command.ts";
import { unpackPrograms } from "./package_programs.ts";

export interface PrometheusBinaries {
  prometheus: string;
  promtool: string;
  version: [major: number, minor: number];
}

export interface PrometheusSearch {
  say: (line: string) => void;
  /** The folders to search, as in $PATH. */
  path?: string;
  /** The folder of an unpacked copy; all stacks of the checkout share it. */
  bin?: string;
}

/** prometheus and promtool ≥ 2.42, the version of Debian 12. In this order: on PATH, unpacked earlier, the distribution's package. */
export async function findPrometheus({
  say,
  path = process.env.PATH ?? "",
  bin = join(stackHome, "bin"),
}: PrometheusSearch): Promise<PrometheusBinaries> {
  for (const folder of [...path.split(":"), bin]) {
    const found = await accepted(folder);
    if (found) return found;
  }
  const trouble = await unpack(bin, say).catch((error: Error) => error.message);
  if (typeof trouble !== "string") return trouble;
  throw new Error(
    [
      "prometheus and promtool 2.42 or newer were not found and could not be downloaded. Do one of these:",
      "  - install them: `apt install prometheus` or `brew install prometheus`",
      "  - unpack a release of https://prometheus.io/download/ and put its folder on PATH",
      `What was tried: ${trouble}`,
    ].join("\n"),
  );
}

async function unpack(bin: string, say: PrometheusSearch["say"]): Promise<PrometheusBinaries> {
  await unpackPrograms({ name: "prometheus", title: "Prometheus", programs: ["prometheus", "promtool"], folder: bin, say });
  const found = await accepted(bin);
  if (found) return found;
  const { output } = await run([join(bin, "prometheus"), "--version"], { within: 10_000 });
  throw new Error(`the distribution's package is not Prometheus 2.42 or newer (${output.split("\n")[0]})`);
}

/** Both programs of one folder. A promtool of another version could accept what this prometheus refuses. */
async function accepted(folder: string): Promise<PrometheusBinaries | undefined> {
  const [prometheus, promtool] = [join(folder, "prometheus"), join(folder, "promtool")];
  const [version, ofTool] = [await versionOf(prometheus), await versionOf(promtool)];
  if (!version || !ofTool || version.join() !== ofTool.join()) return undefined;
  return version[0] > 2 || (version[0] === 2 && version[1] >= 42) ? { prometheus, promtool, version } : undefined;
}

async function versionOf(program: string): Promise<[major: number, minor: number] | undefined> {
  if (!existsSync(program)) return undefined;
  const { output } = await run([program, "--version"], { within: 10_000 });
  const [, major, minor] = /, version (\d+)\.(\d+)\./.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}
