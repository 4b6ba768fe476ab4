import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeLauncher } from "./browser_launcher.ts";
import { libraryPath, unpackPackage } from "./distribution_package.ts";

/** Debian's chromium with the libraries that this machine lacks. Ubuntu's package is only a pointer to a snap and cannot be unpacked. */
export async function fetchBrowserPackage(folder: string, say: (line: string) => void): Promise<void> {
  if (!existsSync(folder)) await unpackPackage({ name: "chromium", title: "browser", target: folder, say });
  const program = join(folder, "usr", "lib", "chromium", "chromium");
  if (!existsSync(program)) throw new Error("the distribution's package contains no Chromium");
  writeLauncher({ folder, program, libraries: libraryPath(folder), fonts: join(folder, "usr", "share", "fonts") });
}
