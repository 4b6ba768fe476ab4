import { readFileSync } from "node:fs";
import { RedisClient } from "bun";
import { within } from "./deadline.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";
import { loop } from "./loop.ts";
import type { Metrics } from "./metrics.ts";
import { type Service, service } from "./service.ts";

export interface RedisOptions {
  readonly url: string;
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

// It is there and cannot do its work: starting, full, without a disk, a replica, busy with a script.
const unwell = /^(LOADING|BUSY|OOM|READONLY|MISCONF|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN)\b/;

/** A connection to Redis that never gives up and never lets anybody wait: while it is away every call is refused at once. */
export interface Redis extends Service {
  connected(): boolean;
  send<T>(command: string, ...args: readonly (string | number)[]): Promise<T>;
  /** Runs a script; a server that was restarted has forgotten it and is told again. */
  run<T>(script: Script, keys: readonly string[], args: readonly (string | number)[]): Promise<T>;
}

export function createRedis({ url, deadline, log, health, metrics }: RedisOptions): Redis {
  let client: RedisClient | undefined;
  let isUnwell = false;

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
    const fresh = new RedisClient(url, { autoReconnect: false, enableOfflineQueue: false, connectionTimeout: deadline });
    fresh.onclose = error => lost(fresh, error.message);
    try {
      await fresh.connect();
    } catch {
      return 0;
    }
    client = fresh;
    health.fine("redis");
    log.info("redis.connected");
    return 0;
  }
  const connecting = loop({ name: "redis.connect", runOnce: connectOnce, full: Number.POSITIVE_INFINITY, interval: 100, log, metrics });

  function refused(error: Error): Error {
    if (!unwell.test(error.message)) return error;
    if (!isUnwell) log.warn({ error }, "redis.unwell");
    isUnwell = true;
    health.trouble("redis", error.message);
    return new RedisAway();
  }

  async function send<T>(command: string, ...args: readonly (string | number)[]): Promise<T> {
    const current = client;
    if (!current) throw new RedisAway();
    try {
      const answer = (await within(deadline, "Redis", current.send(command, args.map(String)))) as T;
      if (isUnwell) health.fine("redis");
      isUnwell = false;
      return answer;
    } catch (error) {
      if ((error as { code?: string }).code === "ERR_REDIS_SERVER_ERROR") throw refused(error as Error);
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
