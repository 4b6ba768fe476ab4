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

  async function keep(profile: Profile): Promise<void> {
    const text = JSON.stringify(profile);
    if (fresh > 0) await redis.send("SET", keyOf(profile.user_id), text, "PX", fresh);
    if (grace > 0) await redis.send("SET", lastKeyOf(profile.user_id), text, "PX", fresh + grace);
  }

  async function askAccount(userId: string, following: Following): Promise<Profile> {
    try {
      const { user_id, account_status, roles, display_name, email } = await services.ask<Profile>(
        "account",
        `/users/${encodeURIComponent(userId)}`,
        asGateway(following),
      );
      const profile = { user_id, account_status, roles, display_name, email };
      await keep(profile);
      return profile;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 404) throw signInAgain();
      const last = parsed(await redis.send<string | null>("GET", lastKeyOf(userId)));
      if (!last) throw error;
      return last;
    }
  }

  return {
    keep,
    /** Forgets what is known of a user, so that a change shows at once. */
    forget: async (userId: string): Promise<void> => void (await redis.send("DEL", keyOf(userId))),
    async find(userId: string, following: Following): Promise<Profile> {
      const known = parsed(await redis.send<string | null>("GET", keyOf(userId)));
      if (known) return known;
      // Many requests of one user at once are one question.
      const question = asking.get(userId) ?? askAccount(userId, following).finally(() => asking.delete(userId));
      asking.set(userId, question);
      return question;
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
