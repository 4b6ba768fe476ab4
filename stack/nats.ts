import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { shortHash } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { findNats, type NatsBinary } from "./nats_binary.ts";
import { usersConfig } from "./nats_config.ts";
import { namesIn, testNames } from "./nats_permissions.ts";
import { administratorUrl, credentialsOf, passwordVariables, roleUrls } from "./nats_users.ts";
import { notOurs } from "./not_ours.ts";
import { choosePort } from "./ports.ts";
import { keptPassword, privateFolder } from "./secret_file.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { ServerCertificate, StackContext } from "./stack.ts";

export interface NatsServer extends ServerProcess {
  /** With the credentials of the administrator. */
  readonly url: string;
  /** The URL of each role by its variable, `ENTITLEMENT_RELAY_NATS_URL` …; empty if the server is not ours. */
  readonly roleUrls: Record<string, string>;
  /** Deletes its data. Only while it is down. */
  wipe(): void;
}

export async function startNats(context: StackContext): Promise<NatsServer> {
  const { dir, say, environment, watchdog, onGiveUp, natsForTests, certificate } = context;
  if (environment.NATS_URL) return { ...notOurs("nats", "NATS_URL"), url: environment.NATS_URL, roleUrls: {} };
  const binary = await findNats({ say });
  await endLeftover(dir, "nats", "SIGINT");
  const port = await choosePort(dir, "nats");
  const store = join(dir, "nats");
  const config = join(dir, "nats.conf");
  privateFolder(store);
  writeFileSync(config, configText({ binary, port, store, dir, certificate }));
  writeFileSync(join(dir, usersFile), usersConfig(natsForTests ? testNames : namesIn(environment)));
  const secret = keptPassword(join(dir, "nats.password"));
  const url = administratorUrl(port, secret);
  const server = superviseServer({
    name: "nats",
    dir,
    command: [binary.path, "--config", config],
    env: { ...process.env, ...passwordVariables(secret) },
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
    roleUrls: roleUrls(url),
    wipe() {
      if (server.pid !== undefined) throw new Error("NATS is running: halt() or stop() it before wipe()");
      rmSync(store, { recursive: true, force: true });
      privateFolder(store);
    },
  });
}

// Beside the configuration: the server resolves an include relative to it.
const usersFile = "nats.users.conf";

interface Config {
  readonly binary: NatsBinary;
  readonly port: number;
  readonly store: string;
  readonly dir: string;
  readonly certificate: ServerCertificate | undefined;
}

function configText({ binary, port, store, dir, certificate }: Config): string {
  const [major, minor] = binary.version;
  // 2.9 refuses the option. With it, later servers acknowledge a publish only when it is on the disk.
  const sync = major > 2 || minor >= 10 ? "\n  sync_interval: always" : "";
  return `listen: "127.0.0.1:${port}"
server_name: "kenri-${shortHash(dir)}"
jetstream {
  store_dir: ${JSON.stringify(store)}${sync}
}
include "${usersFile}"
${certificate ? `tls { cert_file: "${certificate.cert}", key_file: "${certificate.key}", timeout: 5 }\n` : ""}`;
}

async function answers(url: string, certificate: ServerCertificate | undefined): Promise<boolean> {
  const tls = certificate ? { tls: { caFile: certificate.ca } } : {};
  const connection = await connect({ ...credentialsOf(url), ...tls, timeout: 1_000, reconnect: false });
  try {
    await jetstreamManager(connection, { timeout: 2_000 }); // fails without JetStream
    return true;
  } finally {
    await connection.close();
  }
}
