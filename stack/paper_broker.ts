import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { privateFolder } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { StackContext } from "./stack.ts";

/** The broker for orders: one that executes on paper, unless the environment names another. */
export interface BrokerServer extends ServerProcess {
  /** Its orders, and the page of its book. */
  readonly url: string;
  /** False: orders to it are real. */
  readonly onPaper: boolean;
}

const usualPort = 8190;

export async function startPaperBroker({ dir, say, environment, watchdog, onGiveUp, usualPorts }: StackContext): Promise<BrokerServer> {
  if (environment.BROKER_URL) return { ...notOurs("broker", "BROKER_URL"), url: environment.BROKER_URL, onPaper: false };
  await endLeftover(dir, "broker");
  const port = await choosePort(dir, "broker", usualPorts ? usualPort : undefined);
  if (usualPorts && port !== usualPort) say(`paper broker: port ${usualPort} is taken, using ${port}`);
  const url = `http://127.0.0.1:${port}`;
  const folder = join(dir, "broker");
  privateFolder(folder);
  const server = superviseServer({
    name: "broker",
    dir,
    command: [process.execPath, join("stack", "paper_broker", "main.ts"), "--port", String(port), "--data", folder],
    cwd: checkout,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: "production", BROKER_TOKEN: environment.BROKER_TOKEN },
    ready: async () => (await fetch(`${url}/faults`, { signal: AbortSignal.timeout(1_000) })).ok,
    readyWithin: 30_000,
    watchdog,
    onGiveUp,
    say,
  });
  await server.start();
  return Object.assign(server, { url, onPaper: true });
}
