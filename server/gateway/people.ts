import { Problem, unavailable } from "../kernel/problem.ts";
import { type Redis, RedisAway } from "../kernel/redis.ts";
import type { Role } from "../kernel/tokens.ts";
import type { Downstream, Errand } from "./downstream.ts";

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
  readonly services: Downstream;
  readonly fresh: number;
  readonly grace: number;
}

type Following = Pick<Errand, "requestId" | "traceparent">;

/** The gateway's own errands, before it knows for whom. */
export const asGateway = (following: Following): Errand => ({ ...following, person: { userId: "gateway", roles: ["GATEWAY"] } });

/**
 * Knows signed-in people without asking account at every request: what it said is kept in Redis for all gateways and believed for
 * seconds; while account is away, a little longer.
 */
export function people({ redis, services, fresh, grace }: PeopleOptions) {
  const keyOf = (userId: string) => `kenri:{user:${userId}}:profile`;
  const lastKeyOf = (userId: string) => `kenri:{user:${userId}}:last-profile`;
  const asking = new Map<string, Promise<Profile>>();

  const parsed = (text: string | null) => (text ? (JSON.parse(text) as Profile) : undefined);

  /** What account has just said of a user, in whatever answer: from now on everybody believes it. */
  async function keep({ user_id, account_status, roles, display_name, email }: Profile): Promise<void> {
    const text = JSON.stringify({ user_id, account_status, roles, display_name, email } satisfies Profile);
    // First what outlives the other, so that nothing older than a change is ever believed after it.
    await redis.send("SET", lastKeyOf(user_id), text, "PX", Math.max(1, fresh + grace));
    await redis.send("SET", keyOf(user_id), text, "PX", Math.max(1, fresh));
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
      const known = parsed(await redis.send<string | null>("GET", keyOf(userId)));
      if (known) return known;
      try {
        return await ask(userId, following);
      } catch (error) {
        const isAway = error instanceof Problem && error.status >= 500;
        const last = isAway && !forPower ? parsed(await redis.send<string | null>("GET", lastKeyOf(userId))) : undefined;
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
