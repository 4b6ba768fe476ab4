import { createHmac, timingSafeEqual } from "node:crypto";
import type { Health } from "../../kernel/life/health.ts";
import { loop } from "../../kernel/life/loop.ts";
import type { Service } from "../../kernel/life/service.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";

/** What the gateways keep in Redis and believe when they read it. */
export type Kept = "gateway key" | "session" | "profile" | "sign-in";
export type Fault = "unsigned" | "forged" | "malformed" | "expired";

export interface IntegrityOptions {
  /** Shared by all gateways. The first signs; entries signed with any of them are valid, so that the secret can be changed. */
  readonly secrets: readonly string[];
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  /** How long health tells of an entry that was refused. */
  readonly toldFor?: number;
}

/**
 * Signs what the gateways keep in Redis, and refuses what no gateway signed. Who can write to Redis can delete sessions, but cannot make a
 * session, a role or a key of a gateway.
 */
export interface Integrity extends Service {
  /** The text with a signature that holds at this place (its Redis key) only. */
  sign(place: string, text: string): string;
  /** The text, if a gateway signed it for this place; otherwise it is refused. */
  verify(kept: Kept, place: string, signed: string): string | undefined;
  /** Counts, logs and shows an entry that is not believed: each entry once. Beyond 1,000 of them they are only counted. */
  refuse(kept: Kept, fault: Fault, place: string, entry: string): void;
}

// Who can write to Redis must not be able to fill the log or the memory.
const mostRemembered = 1000;
const part = "redis_integrity";

export function createIntegrity({ secrets, log, health, metrics, toldFor = 60_000 }: IntegrityOptions): Integrity {
  const refusals = metrics.counter("gateway_store_refused_total", "Entries in Redis that no gateway signed, or that are expired.", [
    "kept",
    "fault",
  ]);
  const known = new Set<string>();
  /** When an entry of a kind was last refused. */
  const lastAt = new Map<Kept, number>();

  const macOf = (secret: string, place: string, text: string) =>
    createHmac("sha256", secret)
      .update(`${Buffer.byteLength(place)}:${place}\n${text}`)
      .digest();

  function refuse(kept: Kept, fault: Fault, place: string, entry: string): void {
    const name = `${place} ${new Bun.CryptoHasher("sha256").update(entry).digest("hex")}`;
    if (!known.has(name)) refusals.inc({ kept, fault });
    if (!known.has(name) && known.size < mostRemembered) {
      known.add(name);
      log[fault === "expired" ? "info" : "error"]({ kept, fault, key: place.slice(0, 200) }, "gateway.store_refused");
    }
    if (fault === "expired") return; // a gateway that was killed leaves such entries
    lastAt.set(kept, performance.now());
    tell();
  }

  function tell(): void {
    for (const [kept, at] of lastAt) if (performance.now() - at > toldFor) lastAt.delete(kept);
    if (lastAt.size === 0) {
      if (known.size >= mostRemembered) known.clear();
      health.fine(part);
      return;
    }
    const kinds = [...lastAt.keys()].map(kept => `a ${kept}`).join(" and ");
    health.trouble(
      part,
      `Redis holds ${kinds} that no gateway signed: somebody else writes to it, or a gateway has another GATEWAY_SECRET`,
    );
  }

  const telling = loop({
    name: "integrity.tell",
    runOnce: async () => {
      tell();
      return 0;
    },
    full: Number.POSITIVE_INFINITY,
    interval: Math.min(5_000, toldFor),
    log,
    metrics,
  });

  return {
    ...telling,
    sign: (place, text) => `${macOf(secrets[0]!, place, text).toString("base64url")}.${text}`,
    verify(kept, place, signed) {
      const [, mac, text] = /^([\w-]{43})\.(.*)$/s.exec(signed) ?? [];
      if (mac === undefined || text === undefined) refuse(kept, "unsigned", place, signed);
      else if (secrets.some(secret => timingSafeEqual(macOf(secret, place, text), Buffer.from(mac, "base64url")))) return text;
      else refuse(kept, "forged", place, signed);
      return undefined;
    },
    refuse,
  };
}
