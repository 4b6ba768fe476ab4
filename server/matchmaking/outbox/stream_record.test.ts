import { expect, test } from "bun:test";
import { testRedis } from "../../testing/redis.ts";
import { joinStore } from "../../testing/tickets.ts";
import { modeStore } from "../mode_store.ts";
import { streamRecord } from "./stream_record.ts";

test("all lost matches are published again, although some are announced meanwhile", async () => {
  const redis = await testRedis();
  const prefix = `kenri:matchmaking:${crypto.randomUUID()}`;
  const real = modeStore(redis, prefix, { name: "casual", strategy: "fifo", ttl: 60_000 }, 3_600_000);
  for (let player = 0; player < 12; player++) await joinStore(real, `player-${player}`);
  await real.pairFifo(6);
  const entries = await real.take("relay-1", 5000, 10, false);
  await real.published(entries.map((entry, index) => ({ ...entry, seq: index + 1 })));
  // Another relay confirms the first match between the two steps.
  let first: string | undefined;
  const store = {
    ...real,
    async publishedBefore(until: number, most: number) {
      const found = await real.publishedBefore(until, most);
      if (first !== undefined) return found;
      first = found[0]!;
      await real.announced([first]);
      return found;
    },
  };
  const record = streamRecord(redis, prefix, [store]);
  await record.observe({ incarnation: "one", lastSeq: 6, knownLastSeq: 6 });
  expect((await record.observe({ incarnation: "two", lastSeq: 0, knownLastSeq: 0 })).lost).toBe(true);
  expect(await record.resendLost(3)).toBe(3); // a full batch: there may be more
  expect(await record.resendLost(3)).toBe(2);
  expect(await real.publishedBefore(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  await redis.stop();
});
