import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { alive, birthOf, commandLine, parentOf } from "./process_table.ts";

// `npx bun run dev` is a chain of four processes: npm, its shell, `bun run`, and this one. npm forwards SIGTERM to its shell, and the shell ends without
// forwarding it. `bun run` and this process would continue although the process that the person started is gone.

const every = 500;

/** npm, npx or another package runner: `npm exec …` or `node /usr/bin/npx …` in the process list. */
const isRunner = (command: string) =>
  command
    .split(" ")
    .slice(0, 2)
    .some(word => /^(npm|npx|pnpm|pnpx|yarn|bunx)(-cli)?(\.c?js)?$/.test(basename(word)));

/** `bun run dev`, or `bun dev` for short. */
const isBunRun = (command: string, script: string | undefined) => {
  const [program = "", first = ""] = command.split(" ");
  return /^bun(\.exe)?$/.test(basename(program)) && (first === "run" || (first !== "" && first === script));
};

const isShell = (command: string) => /^\S*\bsh -c /.test(command);

/** The ancestors of this process that exist only to start it, nearest first. A person's own shell or script is none: it may end. */
export function launchersOf(pid: number, script: string | undefined = process.env.npm_lifecycle_event): number[] {
  const isLauncher = (candidate: number) => isRunner(commandLine(candidate)) || isBunRun(commandLine(candidate), script);
  const found: number[] = [];
  for (let parent = parentOf(pid); parent > 1; parent = parentOf(parent)) {
    if (isLauncher(parent)) found.push(parent);
    else if (isShell(commandLine(parent)) && isRunner(commandLine(parentOf(parent)))) found.push(parent, parentOf(parent));
    else break;
    if (found.at(-1) !== parent) parent = found.at(-1)!;
  }
  return found;
}

/** When a launcher has ended, this process sends itself the SIGTERM that the launcher did not forward. */
export function endWithLaunchers(): void {
  const known = launchersOf(process.pid).map(pid => ({ pid, birth: birthOf(pid) }));
  if (known.length === 0) return;
  const timer = setInterval(() => {
    if (known.every(({ pid, birth }) => alive(pid) && birthOf(pid) === birth)) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, every);
  timer.unref();
}

/** The signals that stop a command. Under `nohup` SIGHUP stays ignored: the command outlives its terminal. */
export function stopSignals(): NodeJS.Signals[] {
  return ignoresHangup() ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}

function ignoresHangup(): boolean {
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  } catch {
    return false; // no /proc
  }
}
