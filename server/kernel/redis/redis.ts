import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { RedisClient } from "bun";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { loop } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { markLogged, repeatsOf } from "../telemetry/repeats.ts";
import { errorWord, type Tracer } from "../telemetry/spans.ts";
import { type RedisAddress, redisLogin } from "./redis_address.ts";
import { sentenceOf, whyRefused } from "./redis_refusal.ts";

export interface RedisOptions extends RedisAddress {
  /** A server that takes longer to answer counts as away. */
  readonly deadline: number;
  /** Loaded at every connection, so that no call has to send the text of a script. */
  readonly scripts?: readonly Script[];
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
}

/** A Lua script from its file, with its hash for EVALSHA. */
export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

/** `before`: a file with what several scripts share. Its text comes first. */
export function readScript(file: URL, before?: URL): Script {
  const text = [...(before ? [before] : []), file].map(one => readFileSync(one, "utf8")).join("");
  return { name: basename(file.pathname, ".lua"), text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
}

/** Whether the server answered with this error. Otherwise the connection is lost. */
const isReply = (error: unknown) => (error as { code?: string }).code === "ERR_REDIS_SERVER_ERROR";

export class RedisAway extends Error {
  override readonly name = "RedisAway";
  constructor() {
    super("Redis is not connected");
  }
}

// Replies of a server that is reachable and unusable: starting, full, without a disk, a replica, busy with a script, or without permission. Inside a
// script Redis 7.0 words a missing permission in its own way.
const unusable =
  /^(LOADING|BUSY|OOM|READONLY|MISCONF|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|NOPERM|NOAUTH|WRONGPASS|ERR The user executing the script)\b/;
// A refused connection is tried again ten times a second; the reason is looked up once a second.
const explainEvery = 1000;

/** A connection to Redis that always reconnects. While Redis is away every call fails at once. */
export interface Redis extends Service {
  connected(): boolean;
  send<T>(command: string, ...args: readonly (string | number)[]): Promise<T>;
  /** Runs a script, and loads it again after a restart of the server. `traceparent`: the span that the call belongs to. */
  run<T>(script: Script, keys: readonly string[], args: readonly (string | number)[], traceparent?: string): Promise<T>;
}

const ofScripts = { kind: "client", attributes: { "db.system.name": "redis", "db.operation.name": "EVALSHA" } } as const;

export function createRedis({ deadline, scripts = [], log, health, metrics, tracer, ...address }: RedisOptions): Redis {
  let client: RedisClient | undefined;
  /** Refusals of a reachable server, by command or script. The next success of the same ends one. */
  const refusals = new Map<string, { readonly what: string; readonly key: string }>();
  /** The reasons logged since the last connection: each is logged once. */
  const logged = new Set<string>();
  let explainedAt = Number.NEGATIVE_INFINITY;
  let lastWhy = "it was never connected";
  let isStopping = false;
  const repeats = repeatsOf(log);
  const { host: server } = new URL(address.url);
  const says = `Redis (${server}) is not connected. What needs it is refused with 503 until it is back. Check that Redis runs and can be reached from here`;
  const scriptSeconds = metrics.histogram("redis_script_seconds", "Time of a script in Redis, by the file's name.", ["script"]);

  function lost(gone: RedisClient, why: string): void {
    if (client !== gone) return;
    client = undefined;
    health.trouble("redis", "Redis is not connected");
    lastWhy = why;
    logAway();
    gone.close();
    connecting.wake();
  }

  /** A line for the first call or connection that failed; the others are counted. */
  function logAway(): RedisAway {
    if (!isStopping) repeats.write("warn", { server, why: lastWhy, says }, "redis.disconnected");
    return markLogged(new RedisAway());
  }

  // The client's own reconnect gives up after a while and queues commands meanwhile; this does neither.
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
      await withTimeout(deadline, "Redis", Promise.all(scripts.map(one => load(opened, one))));
      client = opened;
    } catch {
      fresh?.close();
      await explain();
      return 0;
    }
    refusals.clear();
    logged.clear();
    health.fine("redis");
    if (!repeats.over("redis.disconnected", undefined, { server }, "redis.connected")) log.info({ server }, "redis.connected");
    return 0;
  }

  /** A script that the server refuses is sent with its first call, which reports the error. */
  const load = (opened: RedisClient, { name, text }: Script) =>
    opened.send("SCRIPT", ["LOAD", text]).catch(error => {
      if (!isReply(error)) throw error;
      logOnce(`load ${name}`, () => log.error({ script: name, error }, "redis.script_not_loaded"));
    });

  /** Reports why the server refuses the connection: each reason once in the log, the last one in health. */
  async function explain(): Promise<void> {
    if (performance.now() - explainedAt < explainEvery) return;
    explainedAt = performance.now();
    const why = await whyRefused(address, deadline);
    health.trouble("redis", why ?? "Redis is not connected");
    if (why !== undefined) logOnce(why, () => log.error({ server, why }, "redis.refused"));
    else logAway();
  }

  function logOnce(reason: string, write: () => void): void {
    if (logged.has(reason)) return;
    logged.add(reason);
    write();
  }

  const connecting = loop({
    name: "redis.connect",
    runOnce: connectOnce,
    full: Number.POSITIVE_INFINITY,
    interval: () => (client ? 1000 : 100),
    log,
    metrics,
  });

  function refused(command: string, error: Error): Error {
    const [reason] = unusable.exec(error.message) ?? [];
    if (reason === undefined) return error;
    const what = sentenceOf(error.message) ?? error.message;
    // One that is starting or busy gets well by itself.
    const level = /^(LOADING|BUSY|TRYAGAIN)/.test(reason) ? "warn" : "error";
    const key = `${reason} ${command}`;
    repeats.write(level, { server, command, error, says: what }, "redis.unwell", { key });
    refusals.set(command, { what, key });
    health.trouble("redis", what);
    return markLogged(new RedisAway());
  }

  /** A missing permission ends when the same command succeeds; a refusal by the whole server ends with any command. */
  function answered(command: string): void {
    for (const [refusedCommand, { what, key }] of refusals) {
      const isPermission = what === sentenceOf("NOPERM");
      if (isPermission && refusedCommand !== command) continue;
      refusals.delete(refusedCommand);
      // A command may be permitted on some keys only.
      if (!isPermission) repeats.over("redis.unwell", key, { server, command: refusedCommand }, "redis.well");
    }
    if (refusals.size === 0) health.fine("redis");
  }

  const send = <T>(command: string, ...args: readonly (string | number)[]) => sendAs<T>(command, command, args);

  /** `name`: the command, or the script that it runs. */
  async function sendAs<T>(name: string, command: string, args: readonly (string | number)[]): Promise<T> {
    const current = client;
    if (!current) throw logAway();
    try {
      const answer = (await withTimeout(deadline, "Redis", current.send(command, args.map(String)))) as T;
      if (refusals.size > 0) answered(name);
      return answer;
    } catch (error) {
      if (isReply(error)) throw refused(name, error as Error);
      // Replies come in order, so a missing reply blocks all later ones. A new connection is the way out.
      lost(current, (error as Error).message);
      throw logAway();
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
        isStopping = true;
        await connecting.stop();
        const last = client;
        client = undefined;
        last?.close();
      },
    }),
    connected: () => client !== undefined,
    send,
    async run<T>(script: Script, keys: readonly string[], args: readonly (string | number)[], traceparent?: string): Promise<T> {
      const span = traceparent === undefined ? undefined : tracer?.start(`redis ${script.name}`, traceparent, ofScripts);
      const rest = [keys.length, ...keys, ...args];
      const since = performance.now();
      let failure: string | undefined;
      try {
        return await sendAs<T>(script.name, "EVALSHA", [script.sha, ...rest]).catch(error => {
          if (!String((error as Error).message).startsWith("NOSCRIPT")) throw error;
          return sendAs<T>(script.name, "EVAL", [script.text, ...rest]);
        });
      } catch (error) {
        failure = errorWord(error);
        throw error;
      } finally {
        span?.end({ error: failure });
        scriptSeconds.observe({ script: script.name }, (performance.now() - since) / 1000);
      }
    },
  };
}
