import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { authenticator } from "../kernel/http/auth.ts";
import { readJson } from "../kernel/http/body.ts";
import { requires } from "../kernel/http/callers.ts";
import { cursors } from "../kernel/http/cursor.ts";
import { httpRole } from "../kernel/http/http_role.ts";
import { sharedReads } from "../kernel/http/shared_reads.ts";
import { tokenVerifier } from "../kernel/http/tokens.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, roleChannel } from "../kernel/life/role.ts";
import { type Service, sequence, service } from "../kernel/life/service.ts";
import { actionRoutes } from "../kernel/operator/action_routes.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { erasureRoutes } from "../kernel/operator/erasure_routes.ts";
import { operatorHealthRoutes, workersOf } from "../kernel/operator/health_routes.ts";
import { pauseRoutes } from "../kernel/operator/pause_routes.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { redisAddress } from "../kernel/redis/redis_settings.ts";
import { type MatchmakingSettings, matchmakingSettings } from "./config.ts";
import { countEnded } from "./ended_tickets.ts";
import { maskFor } from "./masking.ts";
import { modeScripts } from "./mode_scripts.ts";
import { modeStores } from "./mode_store.ts";
import { actionStore } from "./operator/action_store.ts";
import { eraseOperator, operatorErasureScripts } from "./operator/erase_operator.ts";
import { eraseUser } from "./operator/erase_user.ts";
import { matchRoutes } from "./operator/match_routes.ts";
import { pausable } from "./operator/pausable.ts";
import { pauseScripts, pauseStore } from "./operator/pause_store.ts";
import { queueRoutes } from "./operator/queue_routes.ts";
import { lookupRoutes } from "./operator/ticket_routes.ts";
import { ticketRoutes } from "./tickets/ticket_routes.ts";
import { workerRecords, workerScripts } from "./worker_records.ts";

/** `matchmaking:api`. Its callers are people, by tokens of the gateway. Without a database it has no API keys. */
export function matchmakingApi(kernel: KernelSettings, settings: MatchmakingSettings, context: RoleContext): Service {
  const { log, metrics, tracer, health } = context;
  const redis = createRedis({
    ...redisAddress(settings),
    deadline: settings.redisDeadline,
    scripts: [...modeScripts, ...pauseScripts, ...operatorErasureScripts, ...workerScripts],
    log,
    health,
    metrics,
    tracer,
  });
  const pausing = pauseStore(redis, settings.prefix);
  const pauses = rolePauses({ roles: pausable.map(({ role }) => role), read: pausing.list, context });
  const stores = modeStores(redis, settings, countEnded(metrics, log));
  const matcher = roleChannel("matchmaking:matcher");
  // There is no secret in Redis. A cursor of the actions only names a place in their list, so a guessed one shows nothing else.
  const actionCursors = cursors(new TextEncoder().encode("matchmaking"));
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
      pauseRoutes({ pausable, pauses, store: pausing, requires: required }),
      actionRoutes(actionStore(redis, settings.prefix), required, () => actionCursors, sharedReads(0).share, maskFor),
      erasureRoutes(required, user => eraseUser(stores.values(), eraseOperator(redis, settings.prefix), user)),
      operatorHealthRoutes({
        health,
        requires: required,
        redis: true,
        broker: true,
        breakers: ["publish"],
        workers: workersOf(context, kernel, workerRecords(redis, settings.prefix).list),
        log,
      }),
      configRoutes(required, { kernel: kernelSettings, matchmaking: matchmakingSettings }),
    ],
    before: [redis, pauses],
  });
  const channel = service({ start: async () => {}, stop: async () => matcher.close() });
  return sequence([channel, serving]);
}
