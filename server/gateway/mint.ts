import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import type { Log } from "../kernel/log.ts";
import { loop } from "../kernel/loop.ts";
import type { Metrics } from "../kernel/metrics.ts";
import { type Redis, RedisAway } from "../kernel/redis.ts";
import { group, type Service, service } from "../kernel/service.ts";
import { issuer, jwtType, type Person } from "../kernel/tokens.ts";

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface MintOptions {
  readonly redis: Redis;
  readonly life: number;
  readonly rotation: number;
  /** How often a gateway puts its key on the board, which may be wiped. */
  readonly announceEvery?: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Mint extends Service {
  /** A token for one call to one service. */
  token(audience: string, person: Person, requestId: string): Promise<string>;
  /** The public keys of all gateways; while Redis is away, as far as they are known here. */
  keys(): Promise<readonly JWK[]>;
}

const boardKey = "kenri:gateway-keys";
// A key that its gateway no longer announces is forgotten after this: no token of it is good any more.
const remembered = 300_000;

/**
 * Mints the tokens of internal calls. A private key never leaves its process and is never stored; the public ones are gathered in Redis,
 * so that every gateway can publish those of all.
 */
export function createMint({ redis, life, rotation, announceEvery = 5_000, log, metrics }: MintOptions): Mint {
  let current: Key;
  let rotateAt = 0;
  /** The keys of all gateways and when they were last on the board, which may be wiped. */
  const known = new Map<string, { readonly jwk: JWK; readonly seenAt: number }>();

  async function make(): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair("EdDSA");
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" } };
  }

  /** Keeps a key on the board. The one before the current stays there until it is forgotten, longer than any of its tokens. */
  async function announce({ jwk }: Key): Promise<void> {
    const [seconds] = await redis.send<string[]>("TIME");
    const now = Number(seconds) * 1000;
    await redis.send("ZADD", boardKey, now, JSON.stringify(jwk));
    await redis.send("ZREMRANGEBYSCORE", boardKey, "-inf", now - remembered);
  }

  const readBoard = async () => (await redis.send<string[]>("ZRANGE", boardKey, 0, -1)).map(text => JSON.parse(text) as JWK);

  /** A new key is announced before it signs, so that whoever looks finds it. */
  async function keepAnnounced(): Promise<number> {
    if (!redis.connected()) return 0;
    const next = performance.now() >= rotateAt ? await make() : current;
    await announce(next);
    if (next === current) return 0;
    current = next;
    rotateAt = performance.now() + rotation;
    log.info({ kid: next.jwk.kid }, "mint.rotated");
    return 0;
  }

  const beginning = service({
    async start() {
      current = await make(); // for the time until Redis is there
      await keepAnnounced().catch(error => log.warn({ error }, "mint.not_announced"));
    },
    stop: async () => {},
  });
  const interval = Math.min(announceEvery, rotation);
  const announcing = loop({ name: "mint.announce", runOnce: keepAnnounced, full: Number.POSITIVE_INFINITY, interval, log, metrics });

  return {
    ...group([beginning, announcing]),
    token: (audience, { userId, roles }, requestId) =>
      new SignJWT({ roles: [...roles], request_id: requestId })
        .setProtectedHeader({ alg: "EdDSA", typ: jwtType, kid: current.jwk.kid! })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(Math.floor((Date.now() + life) / 1000))
        .sign(current.privateKey),
    async keys() {
      const now = performance.now();
      try {
        const board = await readBoard();
        for (const jwk of board) known.set(jwk.kid!, { jwk, seenAt: now });
        if (!board.some(jwk => jwk.kid === current.jwk.kid)) await announce(current);
      } catch (error) {
        if (!(error instanceof RedisAway)) throw error;
      }
      for (const [kid, { seenAt }] of known) if (now - seenAt > remembered) known.delete(kid);
      known.set(current.jwk.kid!, { jwk: current.jwk, seenAt: now });
      return [...known.values()].map(({ jwk }) => jwk);
    },
  };
}
