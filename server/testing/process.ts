import { readFileSync } from "node:fs";
import { until } from "../../stack/wait.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A process of Kenri under test, started as in production: `bun server/main.ts <what>`. */
export interface TestProcess {
  readonly what: string;
  readonly pid: number;
  readonly exited: Promise<number>;
  /** Its log so far. */
  readonly lines: readonly string[];
  /** The signal that ended it; null while it lives, and if it ended by itself. */
  readonly killedBy: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>;
  logged(text: string, within?: number): Promise<string>;
  /** Waits until it has stopped itself (SIGSTOP), e.g. at a fault point. */
  hung(within?: number): Promise<void>;
  /** Waits until it has killed itself at a fault point; anything else that ends it is an error. */
  killedItself(within?: number): Promise<void>;
  /** The health URL of the process or of one of its roles, with HEALTH_PORT=0. */
  healthUrl(role?: string): Promise<string>;
  /** The sum of a metric over all its roles, with HEALTH_PORT=0. */
  metric(name: string, labels?: string): Promise<number>;
}

/** `checkout`: where the code is, if it is not this one. */
export function startProcess(what: string, environment: Record<string, string>, checkout = root): TestProcess {
  const child = Bun.spawn([process.execPath, "server/main.ts", ...what.split(" ").filter(Boolean)], {
    cwd: checkout,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: string[] = [];
  const read = Promise.all([collect(child.stdout, lines), collect(child.stderr, lines)]);
  const tail = () => lines.slice(-20).join("\n");
  const started: TestProcess = {
    what,
    pid: child.pid,
    exited: child.exited,
    lines,
    get killedBy() {
      return child.signalCode as NodeJS.Signals | null;
    },
    kill: signal => child.kill(signal),
    async stop() {
      child.kill("SIGTERM");
      const code = await child.exited;
      await read;
      return code;
    },
    async logged(text, within = 60_000) {
      await until(`${what} logs ${text}`, within, () => {
        if (lines.some(line => line.includes(text))) return true;
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${what} ended with ${child.exitCode ?? child.signalCode}:\n${tail()}`);
        return false;
      });
      return lines.find(line => line.includes(text))!;
    },
    hung: (within = 60_000) => until(`${what} stops itself`, within, () => isStopped(child.pid)),
    async killedItself(within = 60_000) {
      await until(`${what} kills itself`, within, () => child.exitCode !== null || child.signalCode !== null);
      if (child.signalCode !== "SIGKILL") throw new Error(`${what} ended with ${child.exitCode ?? child.signalCode}:\n${tail()}`);
    },
    async healthUrl(role = "") {
      const served = (line: string) => line.includes("health.listening") && line.includes(`"role":"${role}`);
      await until(`${what} serves the health of ${role}`, 60_000, () => lines.some(served));
      return (JSON.parse(lines.find(served)!) as { url: string }).url;
    },
    async metric(name, labels) {
      await started.healthUrl();
      const urls = lines.filter(line => line.includes("health.listening")).map(line => JSON.parse(line).url as string);
      const texts = await Promise.all(urls.map(async url => (await fetch(`${url}/metrics`)).text()));
      return texts.reduce((sum, text) => sum + sumOf(text, name, labels), 0);
    },
  };
  return started;
}

/** The sum of a metric over its label sets that contain `labels`, from the text format. */
export const sumOf = (text: string, name: string, labels = ""): number =>
  text
    .split("\n")
    .filter(line => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);

/** Whether a process is stopped by a signal. Slim Linux images have no `ps`; other systems always have it. */
function isStopped(pid: number): boolean {
  if (process.platform !== "linux")
    return Bun.spawnSync(["ps", "-o", "state=", "-p", String(pid)])
      .stdout.toString()
      .startsWith("T");
  return / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^\d+ \(.*\)/s, ""));
}

async function collect(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop()!;
    lines.push(...parts);
  }
  if (rest) lines.push(rest);
}
