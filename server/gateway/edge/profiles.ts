import { Problem, unavailable } from "../../kernel/http/problem.ts";
import type { Role } from "../../kernel/http/tokens.ts";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { CallContext, Downstream } from "../calls/downstream.ts";
import type { Integrity } from "./integrity.ts";

/** The part of a user's account that the gateway needs. */
export interface Profile {
  readonly user_id: string;
  readonly account_status: "ACTIVE" | "SUSPENDED" | "ERASED";
  readonly roles: readonly Role[];
  readonly display_name: string | null;
  readonly email: string | null;
}

export interface ProfilesOptions {
  readonly redis: Redis;
  readonly integrity: Integrity;
  readonly services: Downstream;
  readonly fresh: number;
  readonly grace: number;
}

/** Ids that join the logs of one request. */
export type Correlation = Pick<CallContext, "requestId" | "traceparent">;

/** The context of the gateway's own calls, without a user. */
export const asGateway = (correlation: Correlation): CallContext => ({ ...correlation, person: { userId: "gateway", roles: ["GATEWAY"] } });

/**
 * Profiles of signed-in users, cached in Redis for all gateways, so that account is not called at every request. A profile is valid for `fresh`
 * milliseconds; while account is away, for `grace` more.
 */
export function createProfiles({ redis, integrity, services, fresh, grace }: ProfilesOptions) {
  const keyOf = (userId: string) => `kenri:{user:${userId}}:signed-profile`;
  const lastKeyOf = (userId: string) => `kenri:{user:${userId}}:last-profile`;
  const loading = new Map<string, Promise<Profile>>();

  const redisTime = async () => {
    const [seconds, micros] = await redis.send<string[]>("TIME");
    return Number(seconds) * 1000 + Number(micros) / 1000;
  };

  /**
   * A cached profile, if a gateway wrote it and it is not older than `maxAge`. The signature covers the time: an attacker who can write to Redis
   * could otherwise bring back roles that a user once had.
   */
  async function read(key: string, maxAge: number): Promise<Profile | undefined> {
    const [signed, now] = await Promise.all([redis.send<string | null>("GET", key), redisTime()]);
    const text = signed === null ? undefined : integrity.verify("profile", key, signed);
    if (text === undefined) return undefined;
    const { profile, at } = JSON.parse(text) as { profile: Profile; at: number };
    return Math.abs(now - at) <= maxAge ? profile : undefined;
  }

  /** Caches a profile that account has just returned, for all gateways. */
  async function keep({ user_id, account_status, roles, display_name, email }: Profile): Promise<void> {
    const profile = { user_id, account_status, roles, display_name, email } satisfies Profile;
    const text = JSON.stringify({ profile, at: await redisTime() });
    const write = (key: string, milliseconds: number) => redis.send("SET", key, integrity.sign(key, text), "PX", Math.max(1, milliseconds));
    // The longer-lived copy first: otherwise an older profile could be read after a change.
    await write(lastKeyOf(user_id), fresh + grace);
    await write(keyOf(user_id), fresh);
  }

  async function load(userId: string, correlation: Correlation): Promise<Profile> {
    const profile = await services.ask<Profile>("account", `/users/${encodeURIComponent(userId)}`, asGateway(correlation)).catch(error => {
      throw error instanceof Problem && error.code === "NOT_FOUND" ? signInAgain() : error;
    });
    await keep(profile);
    return profile;
  }

  /** Concurrent requests of one user share one call. */
  function loadOnce(userId: string, correlation: Correlation): Promise<Profile> {
    const profile = loading.get(userId) ?? load(userId, correlation).finally(() => loading.delete(userId));
    loading.set(userId, profile);
    return profile;
  }

  return {
    keep,
    /** Of an erased user. */
    async forget(userId: string): Promise<void> {
      for (const key of [keyOf(userId), lastKeyOf(userId)]) await redis.send("DEL", key);
    },
    /** `forRole`: the request needs a role. Then an older profile is not used while account is away. */
    async find(userId: string, correlation: Correlation, forRole = false): Promise<Profile> {
      const known = await read(keyOf(userId), fresh);
      if (known) return known;
      try {
        return await loadOnce(userId, correlation);
      } catch (error) {
        const isAway = error instanceof Problem && error.status >= 500;
        const last = isAway && !forRole ? await read(lastKeyOf(userId), fresh + grace) : undefined;
        if (!last) throw error;
        return last;
      }
    },
  };
}

export type Profiles = ReturnType<typeof createProfiles>;

export const signInAgain = () =>
  new Problem(401, "NOT_SIGNED_IN", "there is no session, or it has ended; sign in at /login", {
    headers: { "www-authenticate": 'Cookie realm="kenri"' },
  });

/** Without Redis no session can be read. */
export const sessionsAway = (error: unknown): unknown =>
  error instanceof RedisAway ? unavailable("sessions cannot be read now; try again") : error;
