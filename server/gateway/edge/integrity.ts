import { createHmac, timingSafeEqual } from "node:crypto";
import type { Health } from "../../kernel/life/health.ts";
import { loop } from "../../kernel/life/loop.ts";
import type { Service } from "../../kernel/life/service.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";

/** The kinds of signed entries in Redis. */
export type Kept = "gateway key" | "session" | "profile" | "sign-in";
export type Fault = "unsigned" | "forged" | "malformed" | "expired";

export interface IntegrityOptions {
  /** Shared by all gateways. The first one signs, all of them verify, so that the secret can be rotated. */
  readonly secrets: readonly string[];
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  /** How long health reports a refused entry. */
  readonly reportedFor?: number;
}

/**
 * Signs the gateways' entries in Redis, and refuses entries that no gateway signed. An attacker who can write to Redis can delete sessions, but
 * cannot create a session, a role or a gateway's key.
 */
export interface Integrity extends Service {
  /** The text with a signature that is valid under this Redis key only. */
  sign(place: string, text: string): string;
  /** The text, if a gateway signed it for this Redis key; otherwise the entry is refused. */
  verify(kept: Kept, place: string, signed: string): string | undefined;
  /** Counts, logs and reports a refused entry, each once. Beyond 1,000 entries they are only counted. */
  refuse(kept: Kept, fault: Fault, place: string, entry: string): void;
}

// A writer of Redis must not be able to fill the log or the memory.
const mostRemembered = 1000;
const part = "redis_integrity";

export function createIntegrity({ secrets, log, health, metrics, reportedFor = 60_000 }: IntegrityOptions): Integrity {
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
      const level = fault === "expired" ? "info" : "error";
      repeatsOf(log).write(level, { kept, fault, place: place.slice(0, 200) }, "gateway.store_refused", {
        key: `${kept} ${fault}`,
        burst: rowBurst,
      });
    }
    if (fault === "expired") return; // a killed gateway leaves such entries
    lastAt.set(kept, performance.now());
    report();
  }

  function report(): void {
    for (const [kept, at] of lastAt) if (performance.now() - at > reportedFor) lastAt.delete(kept);
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

  const reporting = loop({
    name: "integrity.tell",
    runOnce: async () => {
      report();
      return 0;
    },
    full: Number.POSITIVE_INFINITY,
    interval: Math.min(5_000, reportedFor),
    log,
    metrics,
  });

  return {
    ...reporting,
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
