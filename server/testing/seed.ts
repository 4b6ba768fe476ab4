// `bun server/testing/seed.ts <what>` fills a running system with rows that no API makes: the past, and failures in it.
// It writes to the databases of entitlement, notification and orders (<SYSTEM>_DATABASE_URL), takes its input as JSON from stdin and answers with JSON.
import { putBelievable } from "./seeds/believable.ts";
import { type Chain, type Databases, openDatabases, putChains } from "./seeds/chains.ts";
import { type Forgotten, forget } from "./seeds/forget.ts";
import { putHostile } from "./seeds/hostile.ts";
import { putJourneys } from "./seeds/journeys.ts";
import { putOrders, type SeededOrder } from "./seeds/orders.ts";
import { putUnknownKey } from "./seeds/unknown_key.ts";

const seeds: Record<string, (databases: Databases, input: unknown) => Promise<unknown>> = {
  chains: (databases, input) => putChains(databases, input as Chain[]),
  believable: databases => putBelievable(databases),
  hostile: putHostile,
  journeys: putJourneys,
  orders: (databases, input) => putOrders(databases, input as SeededOrder[]),
  "unknown-key": putUnknownKey,
  forget: (databases, input) => forget(databases, input as Forgotten),
};

const seed = seeds[process.argv[2] ?? ""];
if (!seed) {
  console.error(`usage: bun server/testing/seed.ts ${Object.keys(seeds).join(" | ")}`);
  process.exit(2);
}
const input = await Bun.stdin.text();
const databases = openDatabases();
const answer = await seed(databases, input ? JSON.parse(input) : undefined);
await databases.end();
console.log(JSON.stringify(answer ?? null));
