import { declareSystem } from "../kernel/system/system.ts";
import { ordersProblems, ordersSettings } from "./config.ts";
import { pausable } from "./operator/pausable.ts";
import { orderRows } from "./operator/row_kind.ts";
import { orderScopes } from "./scopes.ts";

export const orders = declareSystem({
  name: "orders",
  settings: ordersSettings,
  problems: ordersProblems,
  database: true,
  serves: ["machines", "operators"],
  scopes: Object.values(orderScopes),
  api: { needs: ["outside"], create: async (...given) => (await import("./api_role.ts")).ordersApi(...given) },
  workers: {
    sender: { needs: ["outside"], create: async (...given) => (await import("./sender_role.ts")).senderRole(...given) },
    janitor: { create: async (...given) => (await import("./janitor.ts")).janitorRole(...given) },
  },
  rowKinds: [orderRows],
  pausable,
});
