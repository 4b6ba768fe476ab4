import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { readDevEnv } from "../../stack/dev_env.ts";
import { readLivePid } from "../../stack/leftover.ts";
import { signal, workingIn } from "../../stack/process_table.ts";
import { queryPrometheus, type Sample } from "../../stack/prometheus.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import { superviseServer } from "../../stack/server_process.ts";
import { forgetStack } from "../../stack/stack.ts";
import { startWatchdog } from "../../stack/watchdog.ts";

export type Server = "postgres" | "nats" | "redis" | "broker" | "kenri";

/** A dev stack of its own with a Prometheus, on which a drill causes a failure. */
export interface Stage {
  /** Suspends a server: it is there and does not answer. */
  suspend(server: Server): void;
  resume(server: Server): void;
  /** These throw if they are refused. */
  post(system: "ENTITLEMENT" | "ORDERS" | "NOTIFICATION", path: string, body: object): Promise<void>;
  put(system: "NOTIFICATION", path: string, body: object): Promise<void>;
  get(system: "NOTIFICATION", path: string): Promise<unknown>;
  /** The values of a query of Prometheus, each with its labels. */
  query(expr: string): Promise<Sample[]>;
  close(): Promise<void>;
}

export async function openStage(settings: Readonly<Record<string, string>>): Promise<Stage> {
  const home = scratchFolder();
  const dir = join(home, "dev");
  const envFile = join(home, "dev.env");
  const watchdog = startWatchdog();
  const dev = superviseServer({
    name: "dev",
    dir: home,
    command: [process.execPath, join("stack", "dev.ts"), "--observe"],
    cwd: checkout,
    // Not the variables of the caller: they may name a real broker or real databases.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KENRI_DEV_HOME: home, ...settings },
    ready: async () => existsSync(envFile),
    readyWithin: 180_000,
    stopWithin: 30_000,
    watchdog,
  });
  dev.restart = false;
  await dev.start();
  const env = readDevEnv(envFile);

  /** PostgreSQL has a process for each connection. */
  function pidsOf(server: Server): number[] {
    const main = readLivePid(join(dir, `${server}.pid`));
    const pids = server === "postgres" ? workingIn(join(dir, "postgres", "data")) : [main ?? []].flat();
    if (pids.length === 0) throw new Error(`${server} does not run in ${dir}`);
    return pids;
  }
  const call = (system: string, path: string, init: RequestInit = {}) =>
    fetch(`${env[`${system}_URL`]}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${env.KENRI_API_KEY}`, "content-type": "application/json", ...init.headers },
      signal: AbortSignal.timeout(30_000),
    });
  const send = async (method: string, system: string, path: string, body: object) => {
    const answer = await call(system, path, { method, body: JSON.stringify(body), headers: { "idempotency-key": crypto.randomUUID() } });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };

  return {
    suspend: server => pidsOf(server).forEach(pid => void signal(pid, "SIGSTOP")),
    resume: server => pidsOf(server).forEach(pid => void signal(pid, "SIGCONT")),
    post: (...args) => send("POST", ...args),
    put: (...args) => send("PUT", ...args),
    get: async (system, path) => (await call(system, path)).json(),
    query: expr => queryPrometheus(env.PROMETHEUS_URL!, expr),
    async close() {
      await dev.stop();
      watchdog.close();
      for (const place of [dir, home]) forgetStack(place);
    },
  };
}
