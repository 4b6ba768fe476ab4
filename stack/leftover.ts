import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { birthOf, end } from "./process_table.ts";

// A server outlives this process only if the watchdog was killed too. Its pid is in a file, so that the next start finds it.

export function rememberPid(dir: string, name: string, pid: number): void {
  writeFileSync(pidFile(dir, name), `${pid} ${birthOf(pid)}\n`);
}

export function forgetPid(dir: string, name: string): void {
  rmSync(pidFile(dir, name), { force: true });
}

/** Ends the server of an earlier run before its port is checked, so that a second start gets the same ports. */
export async function endLeftover(dir: string, name: string, politely: NodeJS.Signals = "SIGTERM"): Promise<void> {
  const pid = readLivePid(pidFile(dir, name));
  if (pid !== undefined) await end(pid, politely, 5_000);
}

/** The pid in a file `<pid> <birth>`, if the same process still lives. */
export function readLivePid(file: string): number | undefined {
  try {
    const [pid = "", birth = ""] = readFileSync(file, "utf8").trim().split(/ (.*)/);
    return birth !== "" && birthOf(Number(pid)) === birth ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

function pidFile(dir: string, name: string): string {
  return join(dir, `${name}.pid`);
}
