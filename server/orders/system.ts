import { declareSystem } from "../kernel/system/system.ts";
import { ordersApi } from "./api_role.ts";
import { ordersSettings } from "./config.ts";
import { janitorRole } from "./janitor.ts";
import { orderRows } from "./operator/row_kind.ts";
import { orderScopes } from "./scopes.ts";
import { senderRole } from "./sender_role.ts";

export const orders = declareSystem({
  name: "orders",
  settings: ordersSettings,
  problems: ({ broker, retention }, { environment }) => [
    ...(environment === "production" && !broker?.token
      ? ["BROKER_TOKEN is not set: with KENRI_ENV=production the broker is never called without it"]
      : []),
    ...(retention?.ledger < retention?.orders
      ? ["LEDGER_RETENTION is shorter than ORDERS_RETENTION: an entry of the ledger must outlive its order in the outbox"]
      : []),
  ],
  database: true,
  serves: ["machines", "operators"],
  scopes: Object.values(orderScopes),
  api: { needs: ["outside"], create: ordersApi },
  workers: {
    sender: { needs: ["outside"], create: senderRole },
    janitor: { create: janitorRole },
  },
  rowKinds: [orderRows],
});
