import { type Redis, readScript, type Script } from "../../kernel/redis/redis.ts";
import { operatorKey } from "./pause_store.ts";

const eraseScript = readScript(new URL("../scripts/erase_operator.lua", import.meta.url));

/** To be loaded at a connection that erases operators. */
export const operatorErasureScripts: readonly Script[] = [eraseScript];

export interface ErasedOperator {
  readonly user_id: string;
  readonly pseudonym: string;
  readonly emails: readonly string[];
}

/** Replaces a user in the audit of matchmaking and in its pauses. Returns how many records were changed. */
export type EraseOperator = (user: ErasedOperator) => Promise<number>;

/** Reads the audit in pieces, so that no call holds up Redis. New actions move the others back: some are read twice, and none is passed over. */
export const eraseOperator =
  (redis: Redis, prefix: string, piece = 500): EraseOperator =>
  async ({ user_id, pseudonym, emails }) => {
    const keys = [operatorKey(prefix, "paused"), operatorKey(prefix, "actions")];
    let sum = 0;
    for (let from = 0; ; from += piece) {
      const [read, changed] = await redis.run<[number, number]>(eraseScript, keys, [user_id, pseudonym, from, piece, ...emails]);
      sum += changed;
      if (read < piece) return sum;
    }
  };
