// `bun run build`: builds the operator console from admin-ui/ into admin-ui/dist. Does nothing if the build is current.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, shortHash, stackHome } from "./checkout.ts";
import { runOrFail } from "./command.ts";

const home = join(checkout, "admin-ui");
const dist = join(home, "dist");
/** The hash of the sources of the build, next to it. */
const stamp = join(dist, ".sources");

export async function buildConsole(say: (line: string) => void): Promise<void> {
  const sources = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return;
  say("console: building");
  const fresh = join(stackHome, `console-${process.pid}`);
  const vite = join(checkout, "node_modules", ".bin", "vite");
  await runOrFail("building the console", [process.execPath, vite, "build", home, "--outDir", fresh, "--emptyOutDir"], {
    cwd: checkout,
    within: 180_000,
  });
  writeFileSync(join(fresh, ".sources"), sources);
  // Renamed into place, so that a server that starts meanwhile never reads a partial build.
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** A hash of the names and contents of all sources. The lock file represents the packages. */
function hashOfSources(): string {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter(file => !/^(dist|node_modules)(\/|$)|\.test\.ts$/.test(file) && statSync(join(home, file)).isFile())
    .toSorted()
    .map(file => join(home, file));
  // The console also contains the declarations of the row kinds.
  const rowKinds = [...new Bun.Glob("server/**/row_kind.ts").scanSync(checkout)].toSorted().map(file => join(checkout, file));
  return shortHash(
    [...files, ...rowKinds, join(checkout, "bun.lock")]
      .map(file => `${file.slice(checkout.length)}\n${readFileSync(file, "utf8")}`)
      .join("\n"),
  );
}

if (import.meta.main) await buildConsole(line => console.log(line));
