import { afterEach, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import type { LedgerFindParameters, LedgerFindRow } from "../sql.gen.ts";
import { type OrderWaits, orderWaits } from "./waits.ts";

const started: OrderWaits[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.service.stop();
});

/** Waits on a ledger in memory: `settled` are the keys that are settled, `calls` the statements so far. */
async function memory({ most = 40, fails = () => false }: { most?: number; fails?: () => boolean } = {}) {
  const settled = new Set<string>();
  const calls: LedgerFindParameters[] = [];
  const find = async (parameters: LedgerFindParameters): Promise<LedgerFindRow[]> => {
    calls.push(parameters);
    if (fails()) throw new Error("the database is away");
    const found = parameters.idempotency_key.filter(key => settled.has(key) || !parameters.settled_only);
    return found.map(key => ({ idempotency_key: key, status: settled.has(key) ? "succeeded" : "accepted" }) as LedgerFindRow);
  };
  const waits = orderWaits({ find, most, log: silentLog, metrics: createMetrics() });
  started.push(waits);
  await waits.service.start();
  return { waits, settled, calls };
}

const never = new AbortController().signal;
const long = 60_000;

describe("clients that wait", () => {
  test("are answered when their order is settled, all of an order by one statement", async () => {
    const { waits, settled, calls } = await memory();
    const [one, same, other] = [
      waits.wait("shop", "a", long, never),
      waits.wait("shop", "a", long, never),
      waits.wait("shop", "b", long, never),
    ];
    await until("a statement has all keys", 5000, () => calls.some(({ idempotency_key }) => idempotency_key.length === 2));
    settled.add("a");
    expect(await Promise.all([one, same])).toEqual([
      expect.objectContaining({ idempotency_key: "a", status: "succeeded" }),
      expect.objectContaining({ idempotency_key: "a", status: "succeeded" }),
    ]);
    settled.add("b");
    expect(await other).toMatchObject({ idempotency_key: "b" });
    expect(calls.every(({ idempotency_key }) => new Set(idempotency_key).size === idempotency_key.length)).toBe(true);
  });

  test("cost no statement before the first and after the last", async () => {
    const { waits, settled, calls } = await memory();
    expect(await waits.wait("shop", "a", 1, never)).toBeUndefined();
    for (let n = 0; n < 5; n++) waits.wake();
    settled.add("b");
    expect(await waits.wait("shop", "b", long, never)).toMatchObject({ idempotency_key: "b" });
    waits.wake();
    await waits.service.stop();
    expect(calls.filter(({ idempotency_key }) => idempotency_key.length === 0)).toEqual([]);
    expect(calls.length).toBeLessThanOrEqual(3);
  });

  test("leave when their time is over, and when their connection is closed", async () => {
    const { waits } = await memory({ most: 1 });
    expect(await waits.wait("shop", "a", 5, never)).toBeUndefined();
    const client = new AbortController();
    const waiting = waits.wait("shop", "a", long, client.signal);
    expect(() => waits.wait("rival", "a", long, never)).toThrow("too many clients wait");
    client.abort();
    expect(await waiting).toBeUndefined();
    expect(await waits.wait("shop", "a", 5, never)).toBeUndefined();
    expect(await waits.wait("shop", "a", long, AbortSignal.abort())).toBeUndefined();
  });

  test("of one client have a quarter of the places, and others the rest", async () => {
    const { waits, settled } = await memory({ most: 9 });
    const client = new AbortController();
    const two = [waits.wait("shop", "a", long, client.signal), waits.wait("shop", "b", long, never)];
    expect(() => waits.wait("shop", "c", long, never)).toThrow("2 waits of this client");
    expect(await waits.wait("rival", "d", 5, never)).toBeUndefined();
    client.abort();
    await two[0];
    const again = waits.wait("shop", "c", long, never);
    expect(() => waits.wait("shop", "d", long, never)).toThrow("TOO_MANY_WAITS");
    settled.add("b").add("c");
    expect(await Promise.all([two[1], again])).toMatchObject([{ idempotency_key: "b" }, { idempotency_key: "c" }]);
    expect(await waits.wait("shop", "e", 5, never)).toBeUndefined();
  });

  test("are answered after the database was away", async () => {
    let isAway = true;
    const { waits, settled, calls } = await memory({ fails: () => isAway });
    const waiting = waits.wait("shop", "a", long, never);
    await until("a statement has failed", 5000, () => calls.length > 0);
    settled.add("a");
    isAway = false;
    expect(await waiting).toMatchObject({ idempotency_key: "a" });
  });
});

describe("a stop", () => {
  test("answers all with what is recorded, by one statement, and later ones at once", async () => {
    const { waits, calls } = await memory();
    const waiting = [waits.wait("shop", "a", long, never), waits.wait("shop", "b", long, never)];
    await until("a statement has all keys", 5000, () => calls.some(({ idempotency_key }) => idempotency_key.length === 2));
    await waits.service.stop();
    expect((await Promise.all(waiting)).map(row => [row?.idempotency_key, row?.status])).toEqual([
      ["a", "accepted"],
      ["b", "accepted"],
    ]);
    expect(calls.filter(({ settled_only }) => !settled_only)).toHaveLength(1);
    expect(await waits.wait("shop", "c", long, never)).toBeUndefined();
  });

  test("ends all waits even if the database is away", async () => {
    const { waits } = await memory({ fails: () => true });
    const waiting = waits.wait("shop", "a", long, never);
    await waits.service.stop();
    expect(await waiting).toBeUndefined();
  });

  test("while nobody waits returns", async () => {
    const { waits } = await memory();
    await waits.service.stop();
  });
});
