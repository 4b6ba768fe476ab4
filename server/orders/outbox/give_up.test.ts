import { afterEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { Service } from "../../kernel/life/service.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import type { OrdersGiveUpParameters } from "../sql.gen.ts";
import { giveUp } from "./give_up.ts";

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(one => one.stop())));

/** The loop over a gate that says how long the broker has been away, and whether orders may be claimed now. */
async function givingUp(
  gate: { awayFor: () => number | undefined; allows: () => Promise<boolean> },
  rows: object[] = [],
  isPaused = false,
) {
  const seen = { given: [] as OrdersGiveUpParameters[], aborted: [] as string[], settled: 0 };
  const loop = giveUp({
    context: { worker: "w", log: silentLog, metrics: createMetrics() },
    orders: {
      oldest_expiry: async () => [{ bound: "2026-01-01" }],
      give_up: async parameters => {
        seen.given.push(parameters);
        return rows.splice(0) as never;
      },
    },
    gate,
    isPaused: () => isPaused,
    adapter: "test",
    aborted: { inc: ({ code }) => void seen.aborted.push(code) },
    settled: () => void seen.settled++,
    giveUpAfter: 315_000,
    sweep: 20,
  });
  running.push(loop);
  await loop.start();
  await until("it has looked", 2000, () => seen.given.length > 0);
  return seen;
}

const no = async (): Promise<boolean> => false;
const yes = async (): Promise<boolean> => true;

test.each<[string, () => number | undefined, () => Promise<boolean>, number | null]>([
  ["the broker answers", () => undefined, yes, null],
  ["the broker has been away for a while", () => 314_999, no, null],
  ["the broker has been away for long enough, and still is", () => 315_000, no, 315],
  ["the broker has been away for long enough, and is back", () => 315_000, yes, null],
])("waiting orders are aborted only if the broker is away for the whole time: %s", async (_, awayFor, allows, away_seconds) => {
  expect((await givingUp({ awayFor, allows })).given[0]).toEqual({ worker: "w", limit: 500, away_seconds, expiry_from: "2026-01-01" });
});

test("a circuit that closes while it is asked, in a pause of the broker, aborts nothing", async () => {
  let isAway = true;
  const allows = async () => {
    isAway = false;
    return false;
  };
  expect((await givingUp({ awayFor: () => (isAway ? 400_000 : undefined), allows })).given[0]).toMatchObject({ away_seconds: null });
});

test("while the sender is paused no order is aborted because the broker was away; orders that expired are", async () => {
  const row = { order_id: "o", idempotency_key: "k", status: "aborted", attempts: 0, code: "EXPIRED" };
  const seen = await givingUp({ awayFor: () => 400_000, allows: no }, [row], true);
  await until("the expired one is reported", 2000, () => seen.settled === 1);
  expect(seen.given[0]).toMatchObject({ away_seconds: null });
});

test("aborted orders are counted by their reason, and reported", async () => {
  const row = { order_id: "o", idempotency_key: "k", status: "aborted", attempts: 0 };
  const rows = ["EXPIRED", "BROKER_UNAVAILABLE"].map(code => ({ ...row, code }));
  const seen = await givingUp({ awayFor: () => undefined, allows: no }, rows);
  await until("they are reported", 2000, () => seen.settled === 1);
  expect(seen.aborted).toEqual(["EXPIRED", "BROKER_UNAVAILABLE"]);
});
