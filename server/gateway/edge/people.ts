import { Problem, unavailable } from "../../kernel/http/problem.ts";
import type { Role } from "../../kernel/http/tokens.ts";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { CallContext, Downstream } from "../calls/downstream.ts";
import type { Integrity } from "./integrity.ts";

/** What account says of a user, as far as the gateway needs it. */
export interface Profile {
  readonly user_id: string;
  readonly account_status: "ACTIVE" | "SUSPENDED";
  readonly roles: readonly Role[];
  readonly display_name: string | null;
  readonly email: string | null;
}

export interface PeopleOptions {
  readonly redis: Redis;
  readonly integrity: Integrity;
  readonly services: Downstream;
  readonly fresh: number;
  readonly grace: number;
}

type Following = Pick<CallContext, "requestId" | "traceparent">;

/** The gateway's own errands, before it knows for whom. */
export const asGateway = (following: Following): CallContext => ({ ...following, person: { userId: "gateway", roles: ["GATEWAY"] } });

/**
 * Knows signed-in people without asking account at every request: what it said is kept in Redis for all gateways and believed for
 * seconds; while account is away, a little longer.
 */
export function people({ redis, integrity, services, fresh, grace }: PeopleOptions) {
  const keyOf = (userId: string) => `kenri:{user:${userId}}:signed-profile`;
  const lastKeyOf = (userId: string) => `kenri:{user:${userId}}:last-profile`;
  const asking = new Map<string, Promise<Profile>>();

  const redisTime = async () => {
    const [seconds, micros] = await redis.send<string[]>("TIME");
    return Number(seconds) * 1000 + Number(micros) / 1000;
  };

  /**
   * What account said of a user, if a gateway wrote it here and not longer ago than it is believed. The time is signed with it: who can write to
   * Redis could otherwise keep the roles that somebody had once.
   */
  async function read(key: string, believedFor: number): Promise<Profile | undefined> {
    const [signed, now] = await Promise.all([redis.send<string | null>("GET", key), redisTime()]);
    const text = signed === null ? undefined : integrity.verify("profile", key, signed);
    if (text === undefined) return undefined;
    const { profile, at } = JSON.parse(text) as { profile: Profile; at: number };
    return Math.abs(now - at) <= believedFor ? profile : undefined;
  }

  /** What account has just said of a user, in whatever answer: from now on everybody believes it. */
  async function keep({ user_id, account_status, roles, display_name, email }: Profile): Promise<void> {
    const profile = { user_id, account_status, roles, display_name, email } satisfies Profile;
    const text = JSON.stringify({ profile, at: await redisTime() });
    const write = (key: string, milliseconds: number) => redis.send("SET", key, integrity.sign(key, text), "PX", Math.max(1, milliseconds));
    // First what outlives the other, so that nothing older than a change is ever believed after it.
    await write(lastKeyOf(user_id), fresh + grace);
    await write(keyOf(user_id), fresh);
  }

  async function askAccount(userId: string, following: Following): Promise<Profile> {
    const profile = await services.ask<Profile>("account", `/users/${encodeURIComponent(userId)}`, asGateway(following)).catch(error => {
      throw error instanceof Problem && error.code === "NOT_FOUND" ? signInAgain() : error;
    });
    await keep(profile);
    return profile;
  }

  async function ask(userId: string, following: Following): Promise<Profile> {
    // Many requests of one user at once are one question.
    const question = asking.get(userId) ?? askAccount(userId, following).finally(() => asking.delete(userId));
    asking.set(userId, question);
    return question;
  }

  return {
    keep,
    /** `forPower` = for what takes a role: then what account said before it went away does not count. */
    async find(userId: string, following: Following, forPower = false): Promise<Profile> {
      const known = await read(keyOf(userId), fresh);
      if (known) return known;
      try {
        return await ask(userId, following);
      } catch (error) {
        const isAway = error instanceof Problem && error.status >= 500;
        const last = isAway && !forPower ? await read(lastKeyOf(userId), fresh + grace) : undefined;
        if (!last) throw error;
        return last;
      }
    },
  };
}

export type People = ReturnType<typeof people>;

export const signInAgain = () =>
  new Problem(401, "NOT_SIGNED_IN", "there is no session, or it has ended; sign in at /login", {
    headers: { "www-authenticate": 'Cookie realm="kenri"' },
  });

/** Without Redis nobody can be known. */
export const sessionsAway = (error: unknown): unknown =>
  error instanceof RedisAway ? unavailable("sessions cannot be read now; try again") : error;
