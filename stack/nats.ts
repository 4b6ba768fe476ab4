import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { shortHash } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { findNats, type NatsBinary } from "./nats_binary.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { privateFolder } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { StackContext } from "./stack.ts";

export interface NatsServer extends ServerProcess {
  readonly url: string;
  /** Forget everything it stored. Only while it is down. */
  wipe(): void;
}

export async function startNats(context: StackContext): Promise<NatsServer> {
  const { dir, say, environment, watchdog, onGiveUp } = context;
  if (environment.NATS_URL) return { ...notOurs("nats", "NATS_URL"), url: environment.NATS_URL };
  const binary = await findNats({ say });
  await endLeftover(dir, "nats", "SIGINT");
  const port = await choosePort(dir, "nats");
  const store = join(dir, "nats");
  const config = join(dir, "nats.conf");
  privateFolder(store);
  writeFileSync(config, configText(binary, port, store, dir));
  const url = `nats://127.0.0.1:${port}`;
  const server = superviseServer({
    name: "nats",
    dir,
    command: [binary.path, "--config", config],
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
      if (server.pid !== undefined) throw new Error("NATS is running: halt() or stop() it before wipe()");
      rmSync(store, { recursive: true, force: true });
      privateFolder(store);
    },
  });
}

function configText({ version: [major, minor] }: NatsBinary, port: number, store: string, dir: string): string {
  // 2.9 refuses the option. Later servers then ack a publish only when it is on the disk.
  const sync = major > 2 || minor >= 10 ? "\n  sync_interval: always" : "";
  return `listen: "127.0.0.1:${port}"
server_name: "kenri-${shortHash(dir)}"
jetstream {
  store_dir: ${JSON.stringify(store)}${sync}
}
`;
}

async function answers(url: string): Promise<boolean> {
  const connection = await connect({ servers: url, timeout: 1_000, reconnect: false });
  try {
    await jetstreamManager(connection, { timeout: 2_000 }); // asks for the account's JetStream
    return true;
  } finally {
    await connection.close();
  }
}
