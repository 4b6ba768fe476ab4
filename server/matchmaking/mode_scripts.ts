import { type Redis, readScript, type Script } from "../kernel/redis/redis.ts";
import type { NoteEnded } from "./ended_tickets.ts";
import type { Mode } from "./modes.ts";

const folder = new URL("./scripts/", import.meta.url);
const script = (name: string): Script => readScript(new URL(`${name}.lua`, folder), new URL("mode.lua", folder));
const scripts = {
  join: script("join"),
  cancel: script("cancel"),
  read: script("read"),
  queue: script("queue"),
  pair_fifo: script("pair_fifo"),
  pair_rating: script("pair_rating"),
  expire: script("expire"),
  take: script("take"),
  left: script("left"),
  forget_relays: script("forget_relays"),
  published: script("published"),
  not_published: script("not_published"),
  announced: script("announced"),
  unannounced: script("unannounced"),
  resend: script("resend"),
  void: script("void"),
  depth: script("depth"),
  history: script("history"),
  erase: script("erase"),
} as const;

/** The scripts of every mode, to be loaded at a connection. */
export const modeScripts: readonly Script[] = Object.values(scripts);

/** How the parts of a mode's store reach Redis. */
export interface ModeRedis {
  readonly mode: Mode;
  /** How long an ended ticket is remembered, in milliseconds. */
  readonly keep: number;
  /** A key of the mode. */
  key(name: string): string;
  /** Runs a script on the keys of the mode. `traceparent`: the span of the request that it belongs to. */
  run<T>(name: keyof typeof scripts, args: readonly (string | number)[], traceparent?: string): Promise<T>;
  send: Redis["send"];
  /** Called with what a script has ended. */
  noteEnded(expired: number, invalid: number): void;
}

export function modeRedis(redis: Redis, prefix: string, mode: Mode, keep: number, noteEnded: NoteEnded): ModeRedis {
  const base = `${prefix}:{${mode.name}}`;
  return {
    mode,
    keep: Math.round(keep), // Redis refuses fractions of a millisecond
    key: name => `${base}:${name}`,
    run: (name, args, traceparent) => redis.run(scripts[name], [base], args, traceparent),
    send: redis.send,
    noteEnded: (expired, invalid) => noteEnded(mode.name, { expired, invalid }),
  };
}

/** A number of a script's answer, in which empty means none. */
export const numberOr = (value: number | string | undefined): number | null => (value === undefined || value === "" ? null : Number(value));
