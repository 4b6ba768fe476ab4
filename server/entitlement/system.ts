import { declareSystem } from "../kernel/system/system.ts";
import { entitlementApi } from "./api_role.ts";
import { entitlementSettings } from "./config.ts";
import { janitorRole } from "./janitor.ts";
import { apiPermissions, relayPermissions } from "./nats_permissions.ts";
import { outboxRows } from "./operator/row_kind.ts";
import { relayRole } from "./relay_role.ts";
import { entitlementScopes } from "./scopes.ts";

export const entitlement = declareSystem({
  name: "entitlement",
  settings: entitlementSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  scopes: Object.values(entitlementScopes),
  api: { nats: apiPermissions, needs: ["signing keys"], create: entitlementApi },
  workers: {
    relay: { nats: relayPermissions, needs: ["signing keys"], create: relayRole },
    janitor: { needs: ["owner"], create: (kernel, settings, context) => janitorRole(kernel, settings, settings.ownerUrl!, context) },
  },
  rowKinds: [outboxRows],
});
