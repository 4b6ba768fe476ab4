import { declareSystem } from "../kernel/system/system.ts";
import { entitlementApi } from "./api_role.ts";
import { entitlementSettings } from "./config.ts";
import { janitorRole } from "./janitor.ts";
import { apiRights, relayRights } from "./nats_rights.ts";
import { outboxRows } from "./operator/row_kind.ts";
import { relayRole } from "./relay_role.ts";
import { entitlementScopes } from "./scopes.ts";

export const entitlement = declareSystem({
  name: "entitlement",
  settings: entitlementSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  scopes: Object.values(entitlementScopes),
  api: { nats: apiRights, needs: ["signing keys"], create: entitlementApi },
  workers: {
    relay: { nats: relayRights, needs: ["signing keys"], create: relayRole },
    janitor: { needs: ["owner"], create: (kernel, settings, context) => janitorRole(kernel, settings, settings.ownerUrl!, context) },
  },
  rowKinds: [outboxRows],
});
