import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import { readDevEnv } from "../../stack/dev_env.ts";
import { readLivePid } from "../../stack/leftover.ts";
import { signal, workingIn } from "../../stack/process_table.ts";
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
  query(expr: string): Promise<{ readonly labels: Readonly<Record<string, string>>; readonly value: number }[]>;
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
    env: { ...process.env, KENRI_DEV_HOME: home, ...settings },
    ready: async () => existsSync(envFile),
    readyWithin: 180_000,
    stopWithin: 30_000,
    watchdog,
  });
  dev.restart = false;
  await dev.start();
  const env = readDevEnv(envFile);

  /** PostgreSQL has a process for each connection. */
  const pidsOf = (server: Server) =>
    server === "postgres" ? workingIn(join(dir, "postgres", "data")) : [readLivePid(join(dir, `${server}.pid`)) ?? missing(server)];
  const missing = (server: Server) => {
    throw new Error(`${server} does not run in ${dir}`);
  };
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
    async query(expr) {
      const answer = await fetch(`${env.PROMETHEUS_URL}/api/v1/query?query=${encodeURIComponent(expr)}`);
      const { data } = (await answer.json()) as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } };
      return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
    },
    async close() {
      await dev.stop();
      watchdog.close();
      for (const place of [dir, home]) forgetStack(place);
    },
  };
}
