import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { startIdp } from "./idp.ts";
import { lock } from "./lock.ts";
import { startNats } from "./nats.ts";
import { startPostgres } from "./postgres.ts";
import { placesOutside } from "./postgres_home.ts";
import { startRedis } from "./redis.ts";
import { startWatchdog, type Watchdog } from "./watchdog.ts";

export interface StackContext {
  dir: string;
  say: (line: string) => void;
  /** Where URLs of servers that run already are looked up. */
  environment: Record<string, string | undefined>;
  watchdog: Watchdog;
  onGiveUp: (error: Error) => void;
  /** With it the servers take TLS only. */
  certificate: ServerCertificate | undefined;
  natsForTests: boolean;
}

/** PEM files: the authority, and what it issued to the servers. */
export interface ServerCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** All servers Kenri needs. They do not need each other, so they start side by side. The paper broker goes here. */
const starters = {
  postgres: startPostgres,
  nats: startNats,
  redis: startRedis,
  idp: startIdp,
};

export type ServerName = keyof typeof starters;
export const serverNames = Object.keys(starters) as ServerName[];
type Servers = { [Name in ServerName]: Awaited<ReturnType<(typeof starters)[Name]>> };
export type Stack<Name extends ServerName = ServerName> = Pick<Servers, Name> & {
  readonly dir: string;
  readonly watchdog: Watchdog;
  /** Twice is fine; returns when no server is left. */
  stop(): Promise<void>;
};

export interface StackOptions<Name extends ServerName> {
  /** Data, logs, ports and passwords of this stack. Two stacks have two folders. */
  dir: string;
  servers: readonly Name[];
  say?: (line: string) => void;
  environment?: Record<string, string | undefined>;
  /** The roles may use any stream of NATS and subjects with one more token, as `testKenri` names them. Otherwise only those of the defaults. */
  natsForTests?: boolean;
  /** A server died again and again and stays down. */
  onGiveUp?: (error: Error) => void;
  certificate?: ServerCertificate;
}

/**
 * Start the servers. However this process ends, they end: by `stop()`, or by the watchdog;
 * and if even that was killed, the next start in the same folder clears them away.
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

/** Delete everything a stopped stack kept. Answers what was deleted. */
export function forgetStack(dir: string): string[] {
  const places = [resolve(dir), ...placesOutside(resolve(dir))];
  for (const place of places) rmSync(place, { recursive: true, force: true });
  return places;
}
