import type { StreamRecord } from "../../kernel/nats/stream_checks.ts";
import { type Redis, readScript } from "../../kernel/redis/redis.ts";
import type { ModeStore } from "../mode_store.ts";

export const observeStream = readScript(new URL("../scripts/observe.lua", import.meta.url));

/** What matchmaking knows of its stream is kept in Redis, so that all its relays share it. The stream has the matches of all modes. */
export function streamRecord(redis: Redis, prefix: string, stores: readonly ModeStore[]): StreamRecord {
  const key = `${prefix}:stream`;

  async function read() {
    const [lastSeq, resendBefore] = await redis.send<(string | null)[]>("HMGET", key, "last_seq", "resend_before");
    return lastSeq ? { lastSeq: Number(lastSeq), resendBefore: resendBefore ?? null } : undefined;
  }

  return {
    read,
    async observe({ incarnation, lastSeq, knownLastSeq }) {
      const [lost, resendBefore] = await redis.run<[number, string]>(observeStream, [key], [incarnation, lastSeq, knownLastSeq]);
      return { lost: lost === 1, resendBefore: resendBefore || null };
    },
    async resendLost(limit) {
      const before = (await read())?.resendBefore;
      if (!before) return 0;
      let count = 0;
      for (const store of stores) {
        let lost: readonly string[];
        do {
          lost = await store.publishedBefore(Number(before), limit - count);
          // Fewer if some were announced meanwhile. Those it was given leave the list, so this ends.
          if (lost.length > 0) count += (await store.resend(lost)).length;
        } while (lost.length > 0 && count < limit);
      }
      return count;
    },
  };
}
