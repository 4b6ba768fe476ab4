import { rmSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "bun";
import { endLeftover } from "./leftover.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { findRedis } from "./redis_binary.ts";
import { privateFolder } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { StackContext } from "./stack.ts";

export interface RedisServer extends ServerProcess {
  readonly url: string;
  /** Forget everything it stored. Only while it is down. */
  wipe(): void;
}

export async function startRedis({ dir, say, environment, watchdog, onGiveUp }: StackContext): Promise<RedisServer> {
  if (environment.REDIS_URL) return { ...notOurs("redis", "REDIS_URL"), url: environment.REDIS_URL };
  const binary = await findRedis({ say });
  await endLeftover(dir, "redis", "SIGINT");
  const port = await choosePort(dir, "redis");
  const store = join(dir, "redis");
  privateFolder(store);
  const settings = {
    bind: "127.0.0.1",
    port: String(port),
    dir: store,
    // The log of commands is enough to have the sessions again after a restart: no snapshots.
    appendonly: "yes",
    save: "",
  };
  const url = `redis://127.0.0.1:${port}`;
  const server = superviseServer({
    name: "redis",
    dir,
    command: [binary.path, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
    env: binary.env,
    ready: () => answers(url),
    readyWithin: 30_000,
    stopSignal: "SIGINT",
    watchdog,
    onGiveUp,
    say,
  });
  await server.start();
  return Object.assign(server, {
    url,
    wipe() {
      if (server.pid !== undefined) throw new Error("Redis is running: halt() or stop() it before wipe()");
      rmSync(store, { recursive: true, force: true });
      privateFolder(store);
    },
  });
}

/** Refused while it still reads its log. */
async function answers(url: string): Promise<boolean> {
  const client = new RedisClient(url, { connectionTimeout: 1_000, autoReconnect: false, enableOfflineQueue: false });
  try {
    await client.connect();
    return (await client.send("PING", [])) === "PONG";
  } finally {
    client.close();
  }
}
