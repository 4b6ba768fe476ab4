import { declareSystem } from "../kernel/system/system.ts";
import { entitlementSettings } from "./config.ts";
import { apiPermissions, relayPermissions } from "./nats_permissions.ts";
import { pausable } from "./operator/pausable.ts";
import { outboxRows } from "./operator/row_kind.ts";
import { entitlementScopes } from "./scopes.ts";

export const entitlement = declareSystem({
  name: "entitlement",
  settings: entitlementSettings,
  database: true,
  serves: ["machines", "people", "operators"],
  scopes: Object.values(entitlementScopes),
  api: {
    nats: apiPermissions,
    needs: ["signing keys"],
    create: async (...given) => (await import("./api_role.ts")).entitlementApi(...given),
  },
  workers: {
    relay: {
      nats: relayPermissions,
      needs: ["signing keys"],
      create: async (...given) => (await import("./relay_role.ts")).relayRole(...given),
    },
    janitor: {
      needs: ["owner"],
      create: async (kernel, settings, context) => {
        const { janitorRole } = await import("./janitor.ts");
        return janitorRole(kernel, settings, settings.ownerUrl!, context);
      },
    },
  },
  rowKinds: [outboxRows],
  pausable,
});
