import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { RedisClient } from "bun";
import { endLeftover } from "./leftover.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { findRedis } from "./redis_binary.ts";
import { keptPassword, privateFolder, writeSecret } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { ServerCertificate, StackContext } from "./stack.ts";

export interface RedisServer extends ServerProcess {
  /** With the password. */
  readonly url: string;
  /** Deletes its data. Only while it is down. */
  wipe(): void;
}

export async function startRedis({ dir, say, environment, watchdog, onGiveUp, certificate }: StackContext): Promise<RedisServer> {
  if (environment.REDIS_URL) return { ...notOurs("redis", "REDIS_URL"), url: environment.REDIS_URL };
  const binary = await findRedis({ say });
  await endLeftover(dir, "redis", "SIGINT");
  const port = await choosePort(dir, "redis");
  const store = join(dir, "redis");
  const config = join(dir, "redis.conf");
  const password = keptPassword(join(dir, "redis.password"));
  privateFolder(store);
  // In a file: the process list shows the command line.
  writeSecret(config, configText({ port, store, password, certificate }));
  const url = `${certificate ? "rediss" : "redis"}://:${password}@127.0.0.1:${port}`;
  const server = superviseServer({
    name: "redis",
    dir,
    // Without the mask its files would be readable for everybody.
    command: ["/bin/sh", "-c", 'umask 077 && exec "$0" "$@"', binary.path, config],
    env: binary.env,
    ready: () => answers(url, certificate),
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

interface Config {
  readonly port: number;
  readonly store: string;
  readonly password: string;
  readonly certificate: ServerCertificate | undefined;
}

function configText({ port, store, password, certificate }: Config): string {
  const settings: Record<string, string | number> = {
    bind: "127.0.0.1",
    requirepass: password,
    dir: store,
    // No snapshots: the append-only file restores sessions, tickets and matches after a restart. `always`, as in compose.yaml: with `everysec` Redis
    // answers before it writes while an fsync runs, so one of 25 kills under load lost commands that were answered. It costs two thirds of 33,000
    // commands a second, which dev and tests do not need.
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    ...(certificate
      ? {
          port: 0,
          "tls-port": port,
          "tls-cert-file": certificate.cert,
          "tls-key-file": certificate.key,
          "tls-ca-cert-file": certificate.ca,
          "tls-auth-clients": "optional",
        }
      : { port }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${JSON.stringify(String(value))}\n`)
    .join("");
}

/** Fails while the server still loads its file. */
async function answers(url: string, certificate: ServerCertificate | undefined): Promise<boolean> {
  const client = new RedisClient(url, {
    connectionTimeout: 1_000,
    autoReconnect: false,
    enableOfflineQueue: false,
    ...(certificate ? { tls: { ca: readFileSync(certificate.ca, "utf8") } } : {}),
  });
  try {
    await client.connect();
    return (await client.send("PING", [])) === "PONG";
  } finally {
    client.close();
  }
}
