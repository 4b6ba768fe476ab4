import { existsSync, mkdirSync, rmSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { shortHash } from "./checkout.ts";

const memory = "/dev/shm";
const tmpfs = 0x01021994;
// A whole test run has used 256 MiB. The WAL may grow to 2 GiB.
const room = 4 * 2 ** 30;

/** Where a stack in `dir` has its data in memory. */
export const memoryFolder = (dir: string) => join(memory, `kenri-${shortHash(dir)}`);

/** Makes that folder, empty. Returns undefined if the machine has no file system in memory or too little of it. */
export function makeMemoryFolder(dir: string): string | undefined {
  if (!existsSync(memory)) return undefined;
  const { type, bavail, bsize } = statfsSync(memory);
  if (type !== tmpfs || bavail * bsize < room || freemem() < room) return undefined;
  const folder = memoryFolder(dir);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 }); // fails if somebody else made it meanwhile
  return folder;
}
