import type { Metrics } from "../kernel/telemetry/metrics.ts";
import { countByCode } from "./broker/code_labels.ts";

/** Counters of settled orders. The sender counts those that it settles, the API those of clients and operators; their sum is all. */
export const settledCounters = (metrics: Metrics) => ({
  sent: metrics.counter("outbox_sent_total", "Orders that the broker has: found by the sender, or settled by an operator at the API."),
  aborted: countByCode(
    metrics.counter(
      "outbox_aborted_total",
      "Orders that were aborted, by reason code: by the sender, or at the API by their client or an operator.",
      ["code"],
    ),
  ),
});
