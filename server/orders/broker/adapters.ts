import type { Tracer } from "../../kernel/telemetry/spans.ts";
import type { OrdersSettings } from "../config.ts";
import type { Adapter } from "./adapter.ts";
import { paperAdapter } from "./paper_adapter.ts";

type BrokerSettings = OrdersSettings["broker"];

/** A new broker is one more line. */
const makers: Readonly<Record<BrokerSettings["adapter"], (settings: BrokerSettings, tracer?: Tracer) => Adapter>> = {
  paper: paperAdapter,
};

/** The adapter that ORDERS_ADAPTER names. */
export const adapterOf = (settings: BrokerSettings, tracer?: Tracer): Adapter => makers[settings.adapter](settings, tracer);
