import { spawn } from "node:child_process";

export interface CommandResult {
  code: number | null;
  output: string;
}

export interface CommandOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  uid?: number;
  gid?: number;
  within?: number;
}

/** Runs a command to its end and returns its output (both streams, in order). A missing program is a result, not an error. */
export function run(command: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { within = 60_000, env = process.env, ...rest } = options;
  const [program = "", ...args] = command;
  return new Promise(resolve => {
    const parts: string[] = [];
    const child = spawn(program, args, { ...rest, env, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => {
      parts.push(`\nstopped after ${within} ms`);
      child.kill("SIGKILL");
    }, within);
    const end = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, output: parts.join("").trim() });
    };
    child.stdout.on("data", chunk => parts.push(String(chunk)));
    child.stderr.on("data", chunk => parts.push(String(chunk)));
    child.on("error", error => {
      parts.push(error.message);
      end(null);
    });
    child.on("close", end);
  });
}

export async function runOrFail(step: string, command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await run(command, options);
  if (result.code === 0) return result.output;
  const tail = result.output.split("\n").slice(-15).join("\n  ");
  throw new Error(`${step} failed (${command[0]}, exit ${result.code}):\n  ${tail}`);
}
