import type { Row } from "../dashboard.ts";
import { queriesOf } from "../queries.ts";

const { rate, max, quantile } = queriesOf("orders");

export const ordersRows: readonly Row[] = [
  {
    title: "Orders",
    panels: [
      {
        title: "Orders accepted and sent",
        unit: "ops",
        queries: [rate("kenri_outbox_enqueued_total", { as: "accepted" }), rate("kenri_outbox_sent_total", { as: "sent" })],
      },
      { title: "Orders aborted, by reason code", unit: "ops", queries: [rate("kenri_outbox_aborted_total", { by: ["code"] })] },
      {
        title: "Sends that failed or are unknown, by reason code",
        unit: "ops",
        queries: [rate("kenri_outbox_failed_total", { by: ["code"] })],
      },
      { title: "Orders, by state", unit: "short", queries: [max("kenri_orders_depth", { by: ["state"] })] },
      { title: "Age of the oldest order without outcome", unit: "s", queries: [max("kenri_orders_oldest_open_seconds")] },
      { title: "Orders with an unknown outcome", unit: "short", queries: [max("kenri_orders_unknown_outcomes")] },
    ],
  },
  {
    title: "Broker",
    panels: [
      {
        title: "Time to the outcome, 99 %, by status",
        unit: "s",
        queries: [quantile(0.99, "kenri_orders_settle_seconds", { by: ["status"] })],
      },
      {
        title: "Age of an order when an attempt begins",
        unit: "s",
        queries: [quantile(0.5, "kenri_outbox_age_seconds", { as: "50 %" }), quantile(0.99, "kenri_outbox_age_seconds", { as: "99 %" })],
      },
      {
        title: "Questions about unknown outcomes, by answer",
        unit: "ops",
        queries: [rate("kenri_orders_asked_total", { by: ["answer"] })],
      },
      { title: "Circuit to the broker (1 = open)", unit: "short", queries: [max("kenri_orders_circuit_open")] },
      {
        title: "Lost leases",
        unit: "ops",
        queries: [
          rate("kenri_orders_reclaimed_total", { as: "orders reclaimed" }),
          rate("kenri_orders_fenced_total", { as: "late results" }),
        ],
      },
    ],
  },
];
