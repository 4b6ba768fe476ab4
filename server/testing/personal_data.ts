import type { Redis } from "../kernel/redis/redis.ts";
import type { TestKenri, TestProcess, TestSystem } from "./kenri.ts";
import { withNats } from "./stream.ts";

const withDatabase: readonly TestSystem[] = ["account", "entitlement", "notification", "orders"];
const terms = (words: readonly string[]) => words.map(word => word.toLowerCase());
const names = (text: string, words: readonly string[]) => terms(words).some(word => text.toLowerCase().includes(word));

// A column that is named by itself, so that what else its table has is still found.
const apart: Readonly<Record<string, string>> = { idempotency_keys: "idem_key" };

/** The tables of all databases with a row that has one of these words in any column, as `system.table`. */
async function tablesWith(kenri: TestKenri, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const system of withDatabase) {
    const { sql } = kenri.store(system);
    const tables = await sql<{ name: string }[]>`select c.relname as name from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`;
    for (const { name } of tables) {
      const hex = words.map(word => Buffer.from(word).toString("hex"));
      const patterns = [...terms(words), ...hex].map(one => `%${one}%`);
      const column = apart[name];
      const rest = column ? sql`(to_jsonb(t) - ${column}::text)::text` : sql`t::text`;
      if ((await sql`select from ${sql(name)} t where lower(${rest}) like any (${patterns})`).length > 0) found.push(`${system}.${name}`);
      if (column && (await sql`select from ${sql(name)} t where lower(${sql(column)}) like any (${patterns})`).length > 0)
        found.push(`${system}.${name}.${column}`);
    }
  }
  return found;
}

/** The messages of both streams, as `stream.<name> <seq>`. */
const messagesWith = (kenri: TestKenri, words: readonly string[]): Promise<string[]> =>
  withNats(kenri, async (_, { streams }) => {
    const found: string[] = [];
    for (const stream of [kenri.environment.ENTITLEMENT_STREAM!, kenri.environment.MATCHMAKING_STREAM!]) {
      const { state } = await streams.info(stream);
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await streams.getMessage(stream, { seq }).catch(() => null);
        if (message && names(`${message.subject} ${message.header} ${Buffer.from(message.data).toString("latin1")}`, words))
          found.push(`stream.${stream.replace(/-[0-9a-f]{8}$/, "")} ${seq}`);
      }
    }
    return found;
  });

const readers: Readonly<Record<string, (key: string) => readonly [string, ...(string | number)[]]>> = {
  string: key => ["GET", key],
  hash: key => ["HGETALL", key],
  list: key => ["LRANGE", key, 0, -1],
  set: key => ["SMEMBERS", key],
  zset: key => ["ZRANGE", key, 0, -1],
  stream: key => ["XRANGE", key, "-", "+"],
};

/** The keys whose name or value has one of these words, as `redis <key>`. */
async function keysWith(redis: Redis, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  let cursor = "0";
  do {
    const [next, keys] = await redis.send<[string, string[]]>("SCAN", cursor, "COUNT", 1000);
    cursor = next;
    for (const key of keys) {
      const read = readers[await redis.send<string>("TYPE", key)];
      // A key may end meanwhile.
      const value = read ? await redis.send<unknown>(...read(key)).catch(() => null) : null;
      if (names(`${key} ${JSON.stringify(value)}`, words)) found.push(`redis ${key}`);
    }
  } while (cursor !== "0");
  return found;
}

/** Where a user can still be found: tables, messages, keys and logs. */
export async function whereNamed(
  kenri: TestKenri,
  redis: Redis,
  processes: readonly TestProcess[],
  userId: string,
  emails: readonly string[],
): Promise<string[]> {
  const words = [userId, ...emails];
  const logs = processes.flatMap(({ lines }) => lines);
  return [
    ...(await tablesWith(kenri, words)),
    ...(await messagesWith(kenri, words)),
    ...(await keysWith(redis, words)),
    ...(logs.some(line => names(line, [userId])) ? ["log user_id"] : []),
    ...(logs.some(line => names(line, emails)) ? ["log e-mail"] : []),
  ];
}
