import { join } from "node:path";

/** A peer in a process of its own, so that its CPU time can be read. */
export interface PeerProcess {
  readonly pid: number;
  /** The rest of the line with which it said that it is ready. */
  readonly said: string;
  kill(signal: NodeJS.Signals): void;
  /** Ends it, also while it is paused. */
  stop(): Promise<void>;
}

/** Starts a file of bench/, and returns when it has printed `ready`. */
export async function startPeer(file: string, args: readonly string[], environment: Record<string, string>): Promise<PeerProcess> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file), ...args], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", NODE_ENV: "production", ...environment },
    stdout: "pipe",
    stderr: "inherit",
  });
  const text = new TextDecoder();
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += text.decode(chunk, { stream: true });
    const [, said] = /^ready ?(.*)\n/m.exec(printed) ?? [];
    if (said === undefined) continue;
    return {
      pid: child.pid,
      said,
      kill: signal => child.kill(signal),
      async stop() {
        child.kill("SIGTERM");
        child.kill("SIGCONT");
        await child.exited;
      },
    };
  }
  throw new Error(`${file} ended with ${await child.exited} before it was ready:\n${printed}`);
}
