import type { Pause } from "../../kernel/life/health.ts";
import type { PauseStore } from "../../kernel/operator/pause_routes.ts";
import { type Redis, readScript, type Script } from "../../kernel/redis/redis.ts";
import { pausable } from "./pausable.ts";

const script = (name: string) => readScript(new URL(`../scripts/${name}.lua`, import.meta.url));
const [pause, resume] = [script("pause"), script("resume")];

/** To be loaded at a connection that pauses. */
export const pauseScripts: readonly Script[] = [pause, resume];

/** The keys of what operators do, for all modes; in one slot of a cluster. */
export const operatorKey = (prefix: string, name: "paused" | "actions"): string => `${prefix}:{operators}:${name}`;

/** So many actions are kept, the newest ones. */
export const mostActions = 10_000;

/** A time of Redis as the API writes it. */
export const timeOf = (milliseconds: unknown): string => new Date(Number(milliseconds) || 0).toISOString();

/** The pauses of matchmaking are in Redis, with the rest of its state. */
export function pauseStore(redis: Redis, prefix: string): PauseStore {
  const keys = [operatorKey(prefix, "paused"), operatorKey(prefix, "actions")];
  const act =
    (script: Script): PauseStore["pause"] =>
    ({ role, actor, reason }) =>
      redis.run(script, keys, [role, actor, reason, Bun.randomUUIDv7(), mostActions]);
  return {
    async list() {
      const roles = pausable.map(({ role }) => role);
      const found = await redis.send<(string | null)[]>("HMGET", keys[0]!, ...roles);
      return roles.flatMap((role, index): Pause[] => (found[index] ? [readPause(role, found[index])] : []));
    },
    pause: act(pause),
    resume: act(resume),
  };
}

/** An entry that another program wrote is a pause too: whoever wrote it wanted the role to stand still. It can be resumed. */
function readPause(role: string, entry: string): Pause {
  try {
    const { paused_at, paused_by, reason } = JSON.parse(entry) as Record<string, unknown>;
    return { role, paused_at: timeOf(paused_at), paused_by: String(paused_by), reason: String(reason) };
  } catch {
    return { role, paused_at: timeOf(0), paused_by: "unknown", reason: "the entry in Redis cannot be read" };
  }
}
