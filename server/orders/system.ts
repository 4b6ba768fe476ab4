import { declareSystem } from "../kernel/system/system.ts";
import { ordersApi } from "./api_role.ts";
import { ordersProblems, ordersSettings } from "./config.ts";
import { janitorRole } from "./janitor.ts";
import { orderRows } from "./operator/row_kind.ts";
import { orderScopes } from "./scopes.ts";
import { senderRole } from "./sender_role.ts";

export const orders = declareSystem({
  name: "orders",
  settings: ordersSettings,
  problems: ordersProblems,
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
