import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { authenticator } from "../kernel/http/auth.ts";
import { readJson } from "../kernel/http/body.ts";
import { requires } from "../kernel/http/callers.ts";
import { httpRole } from "../kernel/http/http_role.ts";
import { tokenVerifier } from "../kernel/http/tokens.ts";
import { type RoleContext, roleChannel } from "../kernel/life/role.ts";
import { type Service, sequence, service } from "../kernel/life/service.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { operatorHealthRoutes } from "../kernel/operator/health_routes.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { redisAddress } from "../kernel/redis/redis_settings.ts";
import { type MatchmakingSettings, matchmakingSettings } from "./config.ts";
import { countEnded } from "./ended_tickets.ts";
import { modeScripts } from "./mode_scripts.ts";
import { modeStores } from "./mode_store.ts";
import { matchRoutes } from "./operator/match_routes.ts";
import { queueRoutes } from "./operator/queue_routes.ts";
import { lookupRoutes } from "./operator/ticket_routes.ts";
import { ticketRoutes } from "./tickets/ticket_routes.ts";

/** `matchmaking:api`. Its callers are people, by tokens of the gateway. Without a database it has no API keys. */
export function matchmakingApi(kernel: KernelSettings, settings: MatchmakingSettings, context: RoleContext): Service {
  const { log, metrics, tracer, health } = context;
  const redis = createRedis({
    ...redisAddress(settings),
    deadline: settings.redisDeadline,
    scripts: modeScripts,
    log,
    health,
    metrics,
    tracer,
  });
  const stores = modeStores(redis, settings, countEnded(metrics, log));
  const matcher = roleChannel("matchmaking:matcher");
  const http = httpRole({ system: "matchmaking", port: settings.port, kernel, context });
  const authenticate = authenticator(async () => undefined, kernel.jwksUrl ? tokenVerifier(kernel.jwksUrl, "matchmaking") : undefined);
  const required = requires(authenticate, request => readJson(request, kernel.bodyWithin));
  health.askDatabase = () => redis.send("PING");
  const serving = http.serve({
    about: {
      title: "Kenri matchmaking",
      description:
        "Players ask for an opponent, wait in a fair queue and are paired. Only for people, with internal tokens of the gateway.",
    },
    routes: [
      ticketRoutes({ stores, requires: required, joined: matcher.wake, metrics }),
      queueRoutes(stores, settings.matcher.opens, required),
      matchRoutes(stores, required),
      lookupRoutes(stores, required),
      operatorHealthRoutes({ health, requires: required, log, redis: true, broker: true, breakers: ["publish"] }),
      configRoutes(required, { kernel: kernelSettings, matchmaking: matchmakingSettings }),
    ],
    before: [redis],
  });
  const channel = service({ start: async () => {}, stop: async () => matcher.close() });
  return sequence([channel, serving]);
}
