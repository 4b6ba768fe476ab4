import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { issuer, jwtType, type Person } from "../../kernel/http/tokens.ts";
import { loop } from "../../kernel/life/loop.ts";
import { type Service, sequence, service } from "../../kernel/life/service.ts";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Integrity } from "../edge/integrity.ts";
import { createBoard } from "./board.ts";

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface MintOptions {
  readonly redis: Redis;
  readonly integrity: Integrity;
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

// A key stays on the board this much longer than its tokens live: for clocks that differ, and for a gateway that is slow to announce it again.
const boardSlack = 60_000;

/**
 * Mints the tokens of internal calls. A private key never leaves its process and is never stored; the public ones are gathered in Redis,
 * so that every gateway can publish those of all.
 */
export function createMint({ redis, integrity, life, rotation, announceEvery = 5_000, log, metrics }: MintOptions): Mint {
  const board = createBoard(redis, integrity, life + boardSlack);
  let current: Key;
  let rotateAt: number;
  /** The kids of this gateway that are on the board, as far as it knows. */
  const announced = new Set<string>();
  /** The keys of all gateways, by kid: those on the board, and while the board is in doubt those that were. */
  const known = new Map<string, JWK>();
  // A board that was away or wiped is in doubt until every gateway had the time to announce its key again. Otherwise a key that is not on it was removed.
  let inDoubtUntil = 0;
  const doubt = () => {
    inDoubtUntil = performance.now() + 3 * announceEvery;
  };

  async function make(): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair("EdDSA");
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" } };
  }

  /** Keeps a key on the board. The one before the current stays there until it is forgotten, longer than any of its tokens. */
  async function announce({ jwk }: Key): Promise<void> {
    const wasMissing = await board.announce(jwk);
    if (wasMissing && announced.has(jwk.kid!)) doubt();
    announced.add(jwk.kid!);
    const [oldest] = announced;
    if (announced.size > 2) announced.delete(oldest!); // its entry has long expired
  }

  /** A new key is announced before it signs, so that whoever looks finds it. */
  async function keepAnnounced(): Promise<number> {
    if (!redis.connected()) {
      doubt();
      return 0;
    }
    const next = performance.now() >= rotateAt ? await make() : current;
    await announce(next);
    if (next !== current) {
      current = next;
      rotateAt = performance.now() + rotation;
      log.info({ kid: next.jwk.kid }, "mint.rotated");
    }
    await look(); // also while nobody asks: what is wrong on the board is to be noticed
    return 0;
  }

  async function readBoard(): Promise<void> {
    try {
      const keys = await board.read();
      const kids = new Set(keys.map(({ kid }) => kid!));
      if (!kids.has(current.jwk.kid!)) await announce(current);
      for (const jwk of keys) known.set(jwk.kid!, jwk);
      if (performance.now() >= inDoubtUntil) for (const kid of known.keys()) if (!kids.has(kid)) known.delete(kid);
    } catch (error) {
      doubt();
      if (!(error instanceof RedisAway)) log.warn({ error }, "mint.board_unreadable");
    }
  }

  let reading: Promise<void> | undefined;
  let readingNext: Promise<void> | undefined;
  /** However many ask at once, the board is read once after they asked: a key that was announced before is never missing. */
  function look(): Promise<void> {
    if (reading) {
      readingNext ??= reading.then(() => {
        readingNext = undefined;
        return look();
      });
      return readingNext;
    }
    reading = readBoard().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  const beginning = service({
    async start() {
      current = await make();
      rotateAt = performance.now() + rotation;
      await keepAnnounced().catch(error => log.warn({ error }, "mint.not_announced"));
    },
    /** By now nobody calls with its tokens. */
    stop: () =>
      board.withdraw([...announced]).catch(error => {
        if (!(error instanceof RedisAway)) log.warn({ error }, "mint.not_withdrawn");
      }),
  });
  const interval = Math.min(announceEvery, rotation);
  const announcing = loop({ name: "mint.announce", runOnce: keepAnnounced, full: Number.POSITIVE_INFINITY, interval, log, metrics });

  return {
    ...sequence([beginning, announcing]),
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
      await look();
      return [...known.values(), ...(known.has(current.jwk.kid!) ? [] : [current.jwk])];
    },
  };
}
