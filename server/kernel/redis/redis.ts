import { readFileSync } from "node:fs";
import { RedisClient } from "bun";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { loop } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type RedisAddress, redisLogin } from "./redis_address.ts";
import { sentenceOf, whyRefused } from "./redis_refusal.ts";

export interface RedisOptions extends RedisAddress {
  /** An answer that takes longer counts as a server that is away. */
  readonly deadline: number;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** A Lua script from its file, known to the server by its hash. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function readScript(file: URL): Script {
  const text = readFileSync(file, "utf8");
  return { text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
}

export class RedisAway extends Error {
  override readonly name = "RedisAway";
  constructor() {
    super("Redis is not connected");
  }
}

// It is there and cannot do its work: starting, full, without a disk, a replica, busy with a script, or it does not permit us this command.
const unwell = /^(LOADING|BUSY|OOM|READONLY|MISCONF|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOPERM|NOAUTH|WRONGPASS)\b/;
// A refused connection is tried again ten times a second; the reason is asked for once a second.
const askWhyEvery = 1000;

/** A connection to Redis that never gives up and never lets anybody wait: while it is away every call is refused at once. */
export interface Redis extends Service {
  connected(): boolean;
  send<T>(command: string, ...args: readonly (string | number)[]): Promise<T>;
  /** Runs a script; a server that was restarted has forgotten it and is told again. */
  run<T>(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<T>;
}

export function createRedis({ deadline, log, health, metrics, ...address }: RedisOptions): Redis {
  let client: RedisClient | undefined;
  /** What the server refuses though it is there, by command; the next answer to the command ends it. */
  const refusals = new Map<string, string>();
  /** What was logged since it was last connected: each reason once. */
  const logged = new Set<string>();
  let askedWhyAt = Number.NEGATIVE_INFINITY;

  function lost(gone: RedisClient, why: string): void {
    if (client !== gone) return;
    client = undefined;
    health.trouble("redis", "Redis is not connected");
    log.warn({ why }, "redis.disconnected");
    gone.close();
  }

  // The client's own reconnecting gives up after a while and queues what is asked meanwhile; this does neither.
  async function connectOnce(): Promise<number> {
    if (client) return 0;
    let fresh: RedisClient | undefined;
    try {
      const { url, tls } = redisLogin(address);
      const opened = new RedisClient(url, {
        autoReconnect: false,
        enableOfflineQueue: false,
        connectionTimeout: deadline,
        ...(tls ? { tls } : {}),
      });
      fresh = opened;
      opened.onclose = error => lost(opened, error.message);
      await opened.connect();
      client = opened;
    } catch {
      fresh?.close();
      await explain();
      return 0;
    }
    refusals.clear();
    logged.clear();
    health.fine("redis");
    log.info("redis.connected");
    return 0;
  }

  /** Says why the server does not let us in: each reason once in the log, the last one in health. */
  async function explain(): Promise<void> {
    if (performance.now() - askedWhyAt < askWhyEvery) return;
    askedWhyAt = performance.now();
    const why = await whyRefused(address, deadline);
    health.trouble("redis", why ?? "Redis is not connected");
    if (why !== undefined) logOnce(why, () => log.warn({ why }, "redis.refused"));
  }

  function logOnce(reason: string, write: () => void): void {
    if (logged.has(reason)) return;
    logged.add(reason);
    write();
  }

  const connecting = loop({ name: "redis.connect", runOnce: connectOnce, full: Number.POSITIVE_INFINITY, interval: 100, log, metrics });

  function refused(command: string, error: Error): Error {
    const [reason] = unwell.exec(error.message) ?? [];
    if (reason === undefined) return error;
    const what = sentenceOf(error.message) ?? error.message;
    logOnce(`${reason} ${command}`, () => log.warn({ command, error }, "redis.unwell"));
    refusals.set(command, what);
    health.trouble("redis", what);
    return new RedisAway();
  }

  /** Only the same command shows that it is permitted again; any other ends what concerned the whole server. */
  function answered(command: string): void {
    for (const [refusedCommand, what] of refusals) {
      const isPermission = what === sentenceOf("NOPERM");
      if (isPermission && refusedCommand !== command) continue;
      refusals.delete(refusedCommand);
      // A command may be permitted on some keys only: that is logged once a connection.
      if (!isPermission) logged.clear();
    }
    if (refusals.size === 0) health.fine("redis");
  }

  async function send<T>(command: string, ...args: readonly (string | number)[]): Promise<T> {
    const current = client;
    if (!current) throw new RedisAway();
    try {
      const answer = (await withTimeout(deadline, "Redis", current.send(command, args.map(String)))) as T;
      if (refusals.size > 0) answered(command);
      return answer;
    } catch (error) {
      if ((error as { code?: string }).code === "ERR_REDIS_SERVER_ERROR") throw refused(command, error as Error);
      // Answers come in order: behind one that does not come, all others wait. A new connection starts anew.
      lost(current, (error as Error).message);
      throw new RedisAway();
    }
  }

  return {
    ...service({
      async start() {
        health.trouble("redis", "Redis is not connected");
        await connectOnce();
        await connecting.start();
      },
      async stop() {
        await connecting.stop();
        const last = client;
        client = undefined;
        last?.close();
      },
    }),
    connected: () => client !== undefined,
    send,
    async run<T>(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<T> {
      const rest = [keys.length, ...keys, ...args];
      try {
        return await send<T>("EVALSHA", script.sha, ...rest);
      } catch (error) {
        if (!String((error as Error).message).startsWith("NOSCRIPT")) throw error;
        return send<T>("EVAL", script.text, ...rest);
      }
    },
  };
}
