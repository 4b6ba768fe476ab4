import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { becomes } from "./wait.ts";

// On Linux from /proc, because slim images have no `ps`; other systems always have `ps`.
const linux = process.platform === "linux";

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return !linux || !isDead(`${pid}`) || livingThreads(pid);
}

const isDead = (process: string) => /^\d+ \(.*\) [ZX]/s.test(readProc(process, "stat"));

/** A killed process may be a zombie while its threads still hold files and ports. */
function livingThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      thread => readProc(`${pid}/task/${thread}`, "stat") !== "" && !isDead(`${pid}/task/${thread}`),
    );
  } catch {
    return false;
  }
}

export function commandLine(pid: number): string {
  return linux ? readProc(pid, "cmdline").replaceAll("\0", " ").trim() : ps(pid, "args=");
}

/** 0 if there is none. */
export function parentOf(pid: number): number {
  return Number(linux ? (readProc(pid, "stat").split(") ").at(-1)?.split(" ")[1] ?? 0) : ps(pid, "ppid="));
}

/** Distinguishes a process from a later one with the same pid. Empty if there is none. */
export function birthOf(pid: number): string {
  if (!linux) return ps(pid, "lstart=");
  // Field 22, counted after the command's name, which may contain spaces and brackets.
  return readProc(pid, "stat").split(") ").at(-1)?.split(" ")[19] ?? "";
}

/** Processes whose working directory is `dir`: all of a PostgreSQL cluster, also those that lost their postmaster. */
export const workingIn = (dir: string): number[] =>
  allPids().filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === dir;
    } catch {
      return false;
    }
  });

/** The processes of a session, whose leader started them: also those in groups of their own, and those that lost their parents. */
export const inSession = (leader: number): number[] =>
  allPids().filter(pid => readProc(pid, "stat").split(") ").at(-1)?.split(" ")[3] === String(leader));

const allPids = (): number[] =>
  linux
    ? readdirSync("/proc")
        .filter(name => /^\d+$/.test(name))
        .map(Number)
    : [];

/** Signals a process, or its group with a negative pid. False if it does not exist. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Ends a process that is not our child: first by this signal, then by SIGKILL. */
export async function end(pid: number, politely: NodeJS.Signals, within: number): Promise<void> {
  signal(pid, "SIGCONT");
  signal(pid, politely);
  if (await becomes(within, () => !alive(pid))) return;
  signal(pid, "SIGKILL");
  await becomes(5_000, () => !alive(pid));
}

function readProc(process: number | string, file: string): string {
  try {
    return readFileSync(`/proc/${process}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function ps(pid: number, column: string): string {
  try {
    return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}
