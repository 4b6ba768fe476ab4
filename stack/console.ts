// `bun run build`: the operators' console, from admin-ui/ into admin-ui/dist. Does nothing if that is current.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout, shortHash, stackHome } from "./checkout.ts";
import { runOrFail } from "./command.ts";

const home = join(checkout, "admin-ui");
const dist = join(home, "dist");
/** The file with the hash of the sources, beside the build. */
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
  // A process that starts meanwhile must not read half of it.
  const old = `${fresh}-old`;
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** The names and contents of the console's sources; the lock file stands for its packages. */
function hashOfSources(): string {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" })
    .filter(file => !/^(dist|node_modules)(\/|$)|\.test\.ts$/.test(file) && statSync(join(home, file)).isFile())
    .toSorted()
    .map(file => join(home, file));
  return shortHash(
    [...files, join(checkout, "bun.lock")].map(file => `${file.slice(checkout.length)}\n${readFileSync(file, "utf8")}`).join("\n"),
  );
}

if (import.meta.main) await buildConsole(line => console.log(line));
