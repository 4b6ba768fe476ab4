import type { Row } from "../dashboard.ts";
import { queriesOf } from "../queries.ts";

const { rate, max, sum, quantile } = queriesOf("gateway");

export const gatewayRows: readonly Row[] = [
  {
    title: "Calls to services",
    panels: [
      {
        title: "Calls, by service and outcome",
        unit: "ops",
        queries: [rate("kenri_gateway_call_seconds_count", { by: ["service", "outcome"] })],
      },
      {
        title: "Duration of calls, 99 %, by service",
        unit: "s",
        queries: [quantile(0.99, "kenri_gateway_call_seconds", { by: ["service"] })],
      },
      { title: "Circuit to a service (1 = open)", unit: "short", queries: [max("kenri_gateway_circuit_open", { by: ["service"] })] },
    ],
  },
  {
    title: "Edge and streams",
    panels: [
      {
        title: "Requests over a limit, by limit",
        unit: "ops",
        queries: [
          rate("kenri_gateway_limited_total", { by: ["limit"] }),
          rate("kenri_gateway_user_busy_total", { as: "too many calls of one user" }),
        ],
      },
      {
        title: "Entries in Redis that were refused",
        unit: "ops",
        queries: [rate("kenri_gateway_store_refused_total", { by: ["kept", "fault"] })],
      },
      { title: "Streams that are open", unit: "short", queries: [sum("kenri_gateway_streams")] },
      { title: "Notifications sent on streams", unit: "ops", queries: [rate("kenri_gateway_streamed_total")] },
    ],
  },
];
