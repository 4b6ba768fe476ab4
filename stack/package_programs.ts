import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type PackageWish, unpackPackage } from "./distribution_package.ts";

export interface ProgramsWish extends Omit<PackageWish, "target"> {
  /** The programs of the package that are kept. */
  programs: readonly string[];
  /** The folder for them. */
  folder: string;
}

/** Unpacks programs that need nothing else of their package, so nothing else of it is kept. */
export async function unpackPrograms({ programs, folder, ...wish }: ProgramsWish): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, "package-"));
  try {
    const root = join(work, "root");
    await unpackPackage({ ...wish, target: root });
    for (const program of programs) {
      const file = ["usr/sbin", "usr/bin"].map(place => join(root, place, program)).find(path => existsSync(path));
      if (file === undefined) throw new Error(`the distribution's package contains no ${program}`);
      chmodSync(file, 0o755);
      renameSync(file, join(folder, program)); // atomic: of two parallel starts, each moves a whole file
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
