import { redisProblems } from "../kernel/redis/redis_settings.ts";
import { declareSystem } from "../kernel/system/system.ts";
import { matchmakingSettings } from "./config.ts";
import { relayPermissions } from "./nats_permissions.ts";
import { pausable } from "./operator/pausable.ts";

export const matchmaking = declareSystem({
  name: "matchmaking",
  settings: matchmakingSettings,
  problems: (settings, { environment }) => redisProblems(settings, environment),
  database: false,
  serves: ["people", "operators"],
  api: {
    needs: ["redis"],
    create: async (...given) => (await import("./api_role.ts")).matchmakingApi(...given),
  },
  workers: {
    matcher: {
      needs: ["redis"],
      create: async (...given) => (await import("./matcher_role.ts")).matcherRole(...given),
    },
    relay: {
      nats: relayPermissions,
      needs: ["redis", "signing keys"],
      create: async (...given) => (await import("./relay_role.ts")).relayRole(...given),
    },
  },
  pausable,
});
