import { declareSystem } from "../kernel/system/system.ts";
import { notificationSettings } from "./config.ts";
import { apiPermissions, consumerPermissions, janitorPermissions, senderPermissions } from "./nats_permissions.ts";
import { pausable } from "./operator/pausable.ts";
import { notificationRows } from "./operator/row_kind.ts";

export const notification = declareSystem({
  name: "notification",
  settings: notificationSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  api: {
    nats: apiPermissions,
    needs: ["signing keys"],
    create: async (...given) => (await import("./api_role.ts")).notificationApi(...given),
  },
  workers: {
    sender: { nats: senderPermissions, create: async (...given) => (await import("./sender_role.ts")).senderRole(...given) },
    consumer: {
      nats: consumerPermissions,
      needs: ["signing keys"],
      create: async (...given) => (await import("./consumer_role.ts")).consumerRole(...given),
    },
    janitor: { nats: janitorPermissions, create: async (...given) => (await import("./janitor.ts")).janitorRole(...given) },
  },
  rowKinds: [notificationRows],
  pausable,
});
