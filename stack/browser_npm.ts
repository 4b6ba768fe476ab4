import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { writeLauncher } from "./browser_launcher.ts";
import { runOrFail } from "./command.ts";

const version = "153.0.0";

/**
 * The npm package @sparticuz/chromium: a headless Chromium with the libraries and a font that bare machines lack.
 * It is no dependency of the project: only machines without another browser need its 70 MB.
 */
export async function fetchBrowserNpm(folder: string, say: (line: string) => void): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  if (platform !== "linux-x64") throw new Error(`npm @sparticuz/chromium: not for ${platform}`);
  const work = `${folder}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    say(`browser: downloading the npm package @sparticuz/chromium ${version}`);
    writeFileSync(join(work, "package.json"), '{ "private": true }\n');
    const add = [process.execPath, "add", "--exact", "--ignore-scripts", `@sparticuz/chromium@${version}`];
    await runOrFail("fetching @sparticuz/chromium", add, { cwd: work, within: 300_000 });
    say("browser: unpacking it");
    const packed = join(work, "node_modules", "@sparticuz", "chromium", "bin");
    const inflate = (name: string) => brotliDecompressSync(readFileSync(join(packed, `${name}.br`)));
    writeFileSync(join(work, "chromium"), inflate("chromium"), { mode: 0o755 });
    for (const name of ["al2023.tar", "fonts.tar", "swiftshader.tar"]) {
      writeFileSync(join(work, name), inflate(name));
      await runOrFail(`unpacking ${name}`, ["tar", "-xf", join(work, name), "-C", work]);
      rmSync(join(work, name));
    }
    rmSync(join(work, "node_modules"), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    writeLauncher({ folder, program: join(folder, "chromium"), libraries: join(folder, "lib"), fonts: join(folder, "fonts") });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
