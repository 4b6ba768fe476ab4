import { type ChildProcess, spawn } from "node:child_process";
import { checkout } from "./checkout.ts";
import { inSession, signal } from "./process_table.ts";
import type { Watchdog } from "./watchdog.ts";

export interface Tally {
  passed: number;
  failed: number;
}

export interface StepRunner {
  /** One check: no output if it passes. */
  check(name: string, command: string[]): Promise<Tally>;
  /** `bun test` or Playwright: the output is shown, the tests are counted. */
  tests(name: string, command: string[]): Promise<Tally>;
  /** Ends the current command. */
  abort(): void;
}

/** Where the output of a run goes. */
export type Show = (text: string) => void;

export const onTerminal: Show = text => void process.stdout.write(text);

export function stepRunner(env: Record<string, string | undefined>, watchdog: Watchdog, show: Show = onTerminal): StepRunner {
  let current: ChildProcess | undefined;

  function run(command: string[], onChunk: (chunk: string) => void): Promise<number> {
    const [program = "", ...args] = command;
    return new Promise(resolve => {
      // In a group of its own, so that its children end with it.
      const child = spawn(program, args, { cwd: checkout, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
      current = child;
      if (child.pid) watchdog.guard(child.pid);
      child.stdout.on("data", chunk => onChunk(String(chunk)));
      child.stderr.on("data", chunk => onChunk(String(chunk)));
      child.on("error", error => onChunk(error.message));
      child.on("close", code => {
        if (child.pid) watchdog.release(child.pid);
        current = undefined;
        resolve(code ?? 1);
      });
    });
  }

  function report(name: string, passed: boolean, started: number): void {
    show(`${passed ? "ok  " : "FAIL"}  ${name}  (${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
  }

  return {
    async check(name, command) {
      const started = performance.now();
      const parts: string[] = [];
      const passed = (await run(command, chunk => parts.push(chunk))) === 0;
      report(name, passed, started);
      if (!passed) show(`${parts.join("").trimEnd()}\n`);
      return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
    },
    async tests(name, command) {
      const started = performance.now();
      let tail = "";
      const code = await run(command, chunk => {
        show(chunk);
        tail = (tail + chunk).slice(-65_536);
      });
      const tally = readSummary(tail, code);
      report(name, tally.failed === 0, started);
      return tally;
    },
    abort() {
      if (!current?.pid) return;
      // Parallel test workers lead groups of their own, with the servers that they started.
      for (const pid of inSession(current.pid)) signal(pid, "SIGKILL");
      signal(-current.pid, "SIGKILL");
    },
  };
}

/** Reads the summary of `bun test` or Playwright. An error without a failed test (a crash, or no test found) is one failure. */
export function readSummary(output: string, code: number): Tally {
  const plain = Bun.stripANSI(output);
  const count = (line: RegExp) => Number([...plain.matchAll(line)].at(-1)?.[1] ?? 0);
  const failed = count(/^\s*(\d+) fail(?:ed)?$/gm);
  return { passed: count(/^\s*(\d+) pass(?:ed \(.*\))?$/gm), failed: failed === 0 && code !== 0 ? 1 : failed };
}
