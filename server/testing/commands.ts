import type { Redis } from "../kernel/redis/redis.ts";

/** How often each command is called meanwhile, also by scripts. The numbers are those of the whole server, so it must belong to the test. */
export async function commandsOf(redis: Redis, work: () => Promise<unknown>): Promise<(command: string) => number> {
  await redis.send("CONFIG", "RESETSTAT");
  await work();
  const stats = String(await redis.send("INFO", "commandstats"));
  const calls = new Map([...stats.matchAll(/^cmdstat_(\w+):calls=(\d+)/gm)].map(([, name, count]) => [name!, Number(count)]));
  return command => calls.get(command) ?? 0;
}
