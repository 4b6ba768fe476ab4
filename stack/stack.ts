import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { startIdp } from "./idp.ts";
import { lock } from "./lock.ts";
import { startNats } from "./nats.ts";
import { startPaperBroker } from "./paper_broker.ts";
import { startPostgres } from "./postgres.ts";
import { placesOutside } from "./postgres_home.ts";
import { startRedis } from "./redis.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

export interface StackContext {
  dir: string;
  say: (line: string) => void;
  /** The variables with the URLs of servers that run already. */
  environment: Record<string, string | undefined>;
  watchdog: Watchdog;
  onGiveUp: (error: Error) => void;
  /** With it the servers accept only TLS. */
  certificate: ServerCertificate | undefined;
  natsForTests: boolean;
  postgresInMemory: boolean;
  postgresSettings: Readonly<Record<string, string>>;
  usualPorts: boolean;
}

/** PEM files: the CA, and the servers' certificate and key. */
export interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** All servers that Kenri needs. They do not need each other, so they start in parallel. */
const starters = {
  postgres: startPostgres,
  nats: startNats,
  redis: startRedis,
  idp: startIdp,
  broker: startPaperBroker,
};

export type ServerName = keyof typeof starters;
export const serverNames = Object.keys(starters) as ServerName[];
type Servers = { [Name in ServerName]: Awaited<ReturnType<(typeof starters)[Name]>> };
export type Stack<Name extends ServerName = ServerName> = Pick<Servers, Name> & {
  readonly dir: string;
  readonly watchdog: Watchdog;
  /** May be called twice. Returns when all servers have ended. */
  stop(): Promise<void>;
};

export interface StackOptions<Name extends ServerName> {
  /** Data, logs, ports and passwords of this stack. Two stacks have two folders. */
  dir: string;
  servers: readonly Name[];
  say?: (line: string) => void;
  environment?: Record<string, string | undefined>;
  /** The roles may use any stream, and subjects with one more token, as in `testKenri`. Otherwise only the names in the settings. */
  natsForTests?: boolean;
  /** For tests that make and drop hundreds of databases: their files cost more than the tests. The data survives a kill of PostgreSQL as on a disk. */
  postgresInMemory?: boolean;
  /** Beside the usual ones, for example a library that measures. */
  postgresSettings?: Readonly<Record<string, string>>;
  /** False: only random ports, so that a stack that nobody opens takes none from one that starts at the same time. */
  usualPorts?: boolean;
  /** Called when a server died repeatedly and stays down. */
  onGiveUp?: (error: Error) => void;
  certificate?: ServerCertificate;
}

/**
 * Starts the servers. They end with this process: by `stop()`, or by the watchdog if this process was killed. If the watchdog was killed too, the next
 * start in the same folder ends them.
 */
export async function startStack<Name extends ServerName>(options: StackOptions<Name>): Promise<Stack<Name>> {
  const dir = resolve(options.dir);
  const unlock = lock(dir);
  const watchdog = startWatchdog();
  const context: StackContext = {
    dir,
    say: options.say ?? (() => {}),
    environment: options.environment ?? process.env,
    watchdog,
    onGiveUp: options.onGiveUp ?? (error => console.error(error.message)),
    certificate: options.certificate,
    natsForTests: options.natsForTests ?? false,
    postgresInMemory: options.postgresInMemory ?? false,
    postgresSettings: options.postgresSettings ?? {},
    usualPorts: options.usualPorts ?? true,
  };
  const running: Partial<Servers> = {};
  let stopping: Promise<void> | undefined;
  const stopAll = async () => {
    await Promise.all(Object.values(running).map(server => server.stop()));
    watchdog.close();
    unlock();
  };
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  const outcomes = await Promise.allSettled(
    options.servers.map(async name => Object.assign(running, { [name]: await starters[name](context) })),
  );
  const failed = outcomes.find(outcome => outcome.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { ...running, dir, watchdog, stop } as Stack<Name>;
}

/** Deletes all data of a stopped stack. Returns the deleted folders. */
export function forgetStack(dir: string): string[] {
  const places = [resolve(dir), ...placesOutside(resolve(dir))];
  for (const place of places) rmSync(place, { recursive: true, force: true });
  return places;
}
