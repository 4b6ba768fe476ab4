import { declareSystem } from "../kernel/system/system.ts";
import { notificationApi } from "./api_role.ts";
import { notificationSettings } from "./config.ts";
import { consumerRole } from "./consumer_role.ts";
import { janitorRole } from "./janitor.ts";
import { apiRights, consumerRights, senderRights } from "./nats_rights.ts";
import { notificationRows } from "./operator/row_kind.ts";
import { senderRole } from "./sender_role.ts";

export const notification = declareSystem({
  name: "notification",
  settings: notificationSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  api: { nats: apiRights, needs: ["signing keys"], create: notificationApi },
  workers: {
    sender: { nats: senderRights, create: senderRole },
    consumer: { nats: consumerRights, needs: ["signing keys"], create: consumerRole },
    janitor: { create: janitorRole },
  },
  rowKinds: [notificationRows],
});
