import { declareSystem } from "../kernel/system/system.ts";
import { notificationApi } from "./api_role.ts";
import { notificationSettings } from "./config.ts";
import { consumerRole } from "./consumer_role.ts";
import { janitorRole } from "./janitor.ts";
import { apiPermissions, consumerPermissions, senderPermissions } from "./nats_permissions.ts";
import { notificationRows } from "./operator/row_kind.ts";
import { senderRole } from "./sender_role.ts";

export const notification = declareSystem({
  name: "notification",
  settings: notificationSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  api: { nats: apiPermissions, needs: ["signing keys"], create: notificationApi },
  workers: {
    sender: { nats: senderPermissions, create: senderRole },
    consumer: { nats: consumerPermissions, needs: ["signing keys"], create: consumerRole },
    janitor: { create: janitorRole },
  },
  rowKinds: [notificationRows],
});
