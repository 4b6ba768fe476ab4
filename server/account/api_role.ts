import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { apiRole } from "../kernel/http/api_role.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import type { Service } from "../kernel/life/service.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { adminRoutes } from "./admin_routes.ts";
import { type AccountSettings, accountSettings } from "./config.ts";
import { erasureRoutes, pendingErasuresPath } from "./erasure_routes.ts";
import { identityRoutes } from "./identity_routes.ts";
import { listRoutes } from "./list_routes.ts";
import type { AccountSql } from "./sql.gen.ts";
import { userRoutes } from "./user_routes.ts";

/** `account:api`. */
export const accountApi = (kernel: KernelSettings, settings: AccountSettings, context: RoleContext): Service =>
  apiRole<AccountSql>({
    system: "account",
    url: settings.appUrl,
    port: settings.port,
    about: {
      title: "Kenri account",
      description: "Users, their identities and roles. Only for people, with internal tokens of the gateway.",
    },
    kernel,
    context,
    unlogged: [pendingErasuresPath],
    routes: ({ store, operatorSql, requires, cursors }) => [
      configRoutes(requires, { kernel: kernelSettings, account: accountSettings }),
      identityRoutes(store.statements, requires),
      userRoutes(store.statements, requires),
      listRoutes({ sql: operatorSql, requires, cursors }),
      adminRoutes({ sql: operatorSql, requires, cursors }),
      erasureRoutes(operatorSql, requires),
    ],
  });
