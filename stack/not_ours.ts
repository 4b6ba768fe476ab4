import type { ServerProcess } from "./server_process.ts";

/** A server from the environment: used, but never started, stopped or killed. */
export function notOurs(name: string, variable: string): ServerProcess & { wipe(): void } {
  const refuse = (): never => {
    throw new Error(`${name} comes from ${variable}: not ours to stop`);
  };
  return {
    name,
    log: "",
    pid: undefined,
    restart: false,
    start: async () => {},
    stop: async () => {},
    halt: async () => refuse(),
    kill: refuse,
    pause: refuse,
    resume: refuse,
    wipe: refuse,
  };
}
