import { readdirSync, readFileSync } from "node:fs";
import type { Stack } from "../stack/stack.ts";

export type Servers = Stack<"postgres" | "nats">;

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

/** The CPU time so far of a process and of the servers that it uses, in seconds. `only`: the database whose backends count; by default all do. */
export function cpuOf(pid: number, { postgres, nats }: Servers, only?: string): Map<string, number> {
  const seconds = new Map([
    ["bun", cpuSeconds(pid)],
    ["nats", cpuSeconds(nats.pid!)],
  ]);
  for (const [kind, value] of postgresCpu(postgres.pid!)) {
    const [, system] = /^(\w+?)_[0-9a-f]{12}$/.exec(kind) ?? [];
    if (system && only && kind !== only) continue;
    const name = `postgres ${system ?? kind}`;
    seconds.set(name, (seconds.get(name) ?? 0) + value);
  }
  return seconds;
}
