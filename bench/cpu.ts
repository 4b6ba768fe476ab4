import { readdirSync, readFileSync } from "node:fs";

/** User and system time of a process so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100; // Linux counts a hundredth of a second
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

/** The CPU time of PostgreSQL so far by kind: a backend by the database it serves, the others by their name ("walwriter", "checkpointer" …). */
export function postgresCpu(postmaster: number): Map<string, number> {
  const kinds = new Map<string, number>();
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0)) continue;
    try {
      if (parentOf(pid) !== postmaster) continue;
      const [, first = "", database = ""] = /^postgres: (\S+) (\S*)/.exec(commandOf(pid)) ?? [];
      const kind = /_[0-9a-f]{12}$/.test(database) ? database : first;
      kinds.set(kind, (kinds.get(kind) ?? 0) + cpuSeconds(pid));
    } catch {
      // It has ended meanwhile.
    }
  }
  return kinds;
}
