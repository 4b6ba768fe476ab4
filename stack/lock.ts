import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readLivePid } from "./leftover.ts";
import { birthOf } from "./process_table.ts";

/** The pid of the live process that has locked the stack in `dir`. */
export function holderOf(dir: string): number | undefined {
  return readLivePid(lockFile(dir));
}

/** One stack in a folder. A lock of a dead process, or with a reused pid, is ignored. */
export function lock(dir: string): () => void {
  mkdirSync(dir, { recursive: true });
  const file = lockFile(dir);
  const ours = `${file}.${process.pid}`;
  writeFileSync(ours, `${process.pid} ${birthOf(process.pid)}\n`);
  try {
    if (holderOf(dir) === undefined) rmSync(file, { force: true });
    linkSync(ours, file); // fails if the file exists, so check and lock are one step
  } catch {
    throw new StackInUse(dir, holderOf(dir));
  } finally {
    rmSync(ours, { force: true });
  }
  return () => rmSync(file, { force: true });
}

class StackInUse extends Error {
  constructor(dir: string, pid: number | undefined) {
    super(`${dir} is in use by a running process (pid ${pid})`);
  }
}

function lockFile(dir: string): string {
  return join(dir, "lock");
}
