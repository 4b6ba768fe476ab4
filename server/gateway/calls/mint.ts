import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { issuer, jwtType, type Person } from "../../kernel/http/tokens.ts";
import { loop } from "../../kernel/life/loop.ts";
import { type Service, sequence, service } from "../../kernel/life/service.ts";
import { type Redis, RedisAway } from "../../kernel/redis/redis.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { repeatsOf } from "../../kernel/telemetry/repeats.ts";
import type { Integrity } from "../edge/integrity.ts";
import { createKeyRegistry } from "./key_registry.ts";

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export interface MintOptions {
  readonly redis: Redis;
  readonly integrity: Integrity;
  readonly life: number;
  readonly rotation: number;
  /** How often a gateway writes its key to the registry again: Redis may lose it. */
  readonly announceEvery?: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Mint extends Service {
  /** A token for one call to one service. */
  token(audience: string, person: Person, requestId: string): Promise<string>;
  /** The public keys of all gateways; while Redis is away, those this gateway has read before. */
  keys(): Promise<readonly JWK[]>;
}

// A key stays in the registry this much longer than its tokens live: for clocks that differ, and for a gateway that extends it late.
const registrySlack = 60_000;

/**
 * Mints the tokens of internal calls. A private key never leaves its process and is never stored. The public keys are in a registry in Redis,
 * so that every gateway can publish the keys of all.
 */
export function createMint({ redis, integrity, life, rotation, announceEvery = 5_000, log, metrics }: MintOptions): Mint {
  const registry = createKeyRegistry(redis, integrity, life + registrySlack);
  let current: Key;
  let rotateAt: number;
  /** The kids that this gateway has written to the registry. */
  const announced = new Set<string>();
  /** The keys of all gateways, by kid: those in the registry, and while it is uncertain also those that were in it. */
  const known = new Map<string, JWK>();
  // A registry that was away or lost is uncertain until every gateway had the time to write its key again. Otherwise a missing key was removed.
  let uncertainUntil = 0;
  const markUncertain = () => {
    uncertainUntil = performance.now() + 3 * announceEvery;
  };

  async function make(): Promise<Key> {
    const { privateKey, publicKey } = await generateKeyPair("EdDSA");
    return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg: "EdDSA", use: "sig" } };
  }

  /** Writes a key to the registry. The previous key expires there by itself, later than its last token. */
  async function announce({ jwk }: Key): Promise<void> {
    const wasMissing = await registry.announce(jwk);
    if (wasMissing && announced.has(jwk.kid!)) markUncertain();
    announced.add(jwk.kid!);
    const [oldest] = announced;
    if (announced.size > 2) announced.delete(oldest!); // its entry has long expired
  }

  /** A new key is announced before it signs, so that every verifier finds it. */
  async function keepAnnounced(): Promise<number> {
    if (!redis.connected()) {
      markUncertain();
      return 0;
    }
    const next = performance.now() >= rotateAt ? await make() : current;
    await announce(next);
    if (next !== current) {
      current = next;
      rotateAt = performance.now() + rotation;
      log.info({ kid: next.jwk.kid }, "mint.rotated");
    }
    await refresh(); // also without requests: invalid entries must be reported
    return 0;
  }

  async function readRegistry(): Promise<void> {
    try {
      const keys = await registry.read();
      const kids = new Set(keys.map(({ kid }) => kid!));
      if (!kids.has(current.jwk.kid!)) await announce(current);
      for (const jwk of keys) known.set(jwk.kid!, jwk);
      if (performance.now() >= uncertainUntil) for (const kid of known.keys()) if (!kids.has(kid)) known.delete(kid);
    } catch (error) {
      markUncertain();
      if (!(error instanceof RedisAway)) repeatsOf(log).write("warn", { error }, "mint.board_unreadable");
    }
  }

  let reading: Promise<void> | undefined;
  let readingNext: Promise<void> | undefined;
  /** Concurrent calls share one read that starts after them, so that a key that was announced before the call is never missing. */
  function refresh(): Promise<void> {
    if (reading) {
      readingNext ??= reading.then(() => {
        readingNext = undefined;
        return refresh();
      });
      return readingNext;
    }
    reading = readRegistry().finally(() => {
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
    /** No more calls use its tokens by now. */
    stop: () =>
      registry.withdraw([...announced]).catch(error => {
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
      await refresh();
      return [...known.values(), ...(known.has(current.jwk.kid!) ? [] : [current.jwk])];
    },
  };
}
