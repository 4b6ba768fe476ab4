import { loop } from "../../kernel/life/loop.ts";
import { sequence, service } from "../../kernel/life/service.ts";
import { createFlow, flowKeeper } from "../../kernel/operator/flow.ts";
import { connect } from "../../kernel/postgres/database.ts";
import { databaseOutage } from "../../kernel/postgres/database_outage.ts";
import { bindStatements, readStatements } from "../../kernel/postgres/statements.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { replayCounter } from "./replays.ts";

const countEvery = 1100; // with its jitter never more than once a second
const countWithin = 1000;

export interface ApiStatisticsOptions {
  readonly url: string;
  readonly worker: string;
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Counts in memory, and stores the counts now and then over a connection of its own. No request waits behind it, and its commits may be lost. */
export function apiStatistics({ url, worker, every, log, metrics }: ApiStatisticsOptions) {
  const pool = connect({ url, name: `${worker} statistics`, max: 1, statementTimeout: countWithin, durable: false });
  const sql = bindStatements<EntitlementSql>(
    pool,
    readStatements(["kernel", "entitlement"]),
    metrics,
    countWithin,
    databaseOutage(url, log),
  );
  const flow = createFlow(metrics);
  const replays = replayCounter({ write: sql.idempotency.replayed, metrics });
  const ending = service({
    start: async () => {},
    stop: async () => {
      await replays.flush().catch(() => {});
      await pool.end({ timeout: 1 });
    },
  });
  const counting = { runOnce: replays.flush, full: Number.POSITIVE_INFINITY, interval: countEvery, log, metrics };
  const keeper = flowKeeper({ flow, add: sql.flow.add, every, log, metrics });
  return { flow, replays, statistics: sequence([ending, keeper, loop({ name: "idempotency.replays", ...counting })]) };
}
