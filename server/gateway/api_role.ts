import { natsAccess } from "../kernel/config/nats_access.ts";
import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { httpRole } from "../kernel/http/http_role.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import type { Service } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { redisAddress } from "../kernel/redis/redis_settings.ts";
import { downstream } from "./calls/downstream.ts";
import { jwksPath, jwksRoutes } from "./calls/jwks_routes.ts";
import { matchmakingRoutes } from "./calls/matchmaking_routes.ts";
import { createMint } from "./calls/mint.ts";
import { userRoutes } from "./calls/user_routes.ts";
import { type GatewaySettings, gatewaySecrets, type gatewaySettings } from "./config.ts";
import { adminRoutes } from "./console/admin_routes.ts";
import { consoleAssets, consoleRoutes } from "./console/console_routes.ts";
import { erasures } from "./console/erasures.ts";
import { gatewayHealthRoutes } from "./console/health_routes.ts";
import { homeAssets, homeRoutes } from "./console/home_routes.ts";
import { operationActors } from "./console/operation_actors.ts";
import { operatorRoutes } from "./console/operator_routes.ts";
import { traceViewerRoutes } from "./console/trace_viewer_routes.ts";
import { clientAddress } from "./edge/client_address.ts";
import { cookies } from "./edge/cookies.ts";
import { createIntegrity } from "./edge/integrity.ts";
import { limits } from "./edge/limits.ts";
import { createProfiles } from "./edge/profiles.ts";
import { securityHeaders } from "./edge/security_headers.ts";
import { sessionGuard } from "./edge/session_guard.ts";
import { createSessions } from "./edge/sessions.ts";
import { monitoring } from "./monitoring/monitoring.ts";
import { monitoringRoutes } from "./monitoring/monitoring_routes.ts";
import { prometheus } from "./monitoring/prometheus.ts";
import type { Services } from "./services.ts";
import { identityProvider } from "./sign_in/identity_provider.ts";
import { providerCheck } from "./sign_in/provider_check.ts";
import { signIn } from "./sign_in/sign_in.ts";
import { signInRoutes } from "./sign_in/sign_in_routes.ts";
import { notificationRoutes } from "./streams/notification_routes.ts";
import { createStreams } from "./streams/streams.ts";

/** The systems behind the gateway, and the settings that follow from them. */
export interface Behind extends Services {
  readonly spec: ReturnType<typeof gatewaySettings>;
}

/** `gateway:api`: the entry point for browsers and games. */
export function gatewayApi(kernel: KernelSettings, settings: GatewaySettings, behind: Behind, context: RoleContext): Service {
  const { log, health, metrics, tracer, worker } = context;
  const { deadline, oidc } = settings;
  const http = httpRole({
    system: "gateway",
    port: settings.port,
    kernel,
    context,
    unlogged: [...homeAssets, consoleAssets, jwksPath], // every service reads the keys every few seconds
  });
  const origin = () => settings.publicUrl ?? http.url();
  const isSecure = () => origin().startsWith("https:");

  const redis = createRedis({ ...redisAddress(settings), deadline: settings.redisDeadline, log, health, metrics, tracer });
  const integrity = createIntegrity({ secrets: gatewaySecrets(settings), log, health, metrics });
  const broker = createBroker({ nats: natsAccess(kernel.nats, settings.natsUrls, context.role), name: worker, log, health, metrics });
  const mint = createMint({ redis, integrity, ...settings.tokens, log, metrics });
  const services = downstream({
    urls: settings.services,
    mint,
    deadline,
    actionDeadline: settings.actionDeadline,
    perUser: settings.userCalls,
    log,
    metrics,
    tracer,
  });
  const actors = operationActors({ services, systems: behind.withOperations, every: settings.confirmEvery, log, metrics });
  const profiles = createProfiles({ redis, integrity, services, ...settings.session });
  const sessions = createSessions(redis, integrity, settings.session);
  const erasing = erasures({
    services,
    systems: behind.operated,
    async forget(userId) {
      await sessions.forget(userId);
      await profiles.forget(userId);
    },
    every: kernel.erasureEvery,
    log,
    metrics,
  });
  const jar = cookies(isSecure);
  const { session, user, matchmaking, address, signIn: signInLimit, open, keys, delay, trustedProxies } = settings.limits;
  const nearest = clientAddress(trustedProxies);
  const guard = sessionGuard({
    sessions,
    profiles,
    cookies: jar,
    takeLimit: limits(redis, { session, user, matchmaking, address, "sign-in": signInLimit, open, keys }, metrics, delay),
    addressOf: request => nearest(http.peerOf(request), request.headers.get("x-forwarded-for")),
    origin,
    bodyWithin: kernel.bodyWithin,
  });
  const provider = identityProvider({ ...oidc, deadline, log });
  const signing = signIn({
    redis,
    integrity,
    provider,
    providerName: oidc.provider,
    services,
    profiles,
    within: oidc.signInWithin,
    origin,
  });
  const checking = providerCheck({ provider, every: oidc.checkEvery, log, health, metrics });
  const streams = createStreams({ services, sessions, profiles, broker, ...settings.stream, log, metrics });
  const { prometheusUrl, prometheusToken, runbookUrl } = settings.monitoring;
  const readMonitoring = monitoring(
    prometheusUrl === undefined ? undefined : prometheus({ url: prometheusUrl, token: prometheusToken, deadline, log }),
    runbookUrl,
  );

  securityHeaders(http.app, isSecure);
  return http.serve({
    about: {
      title: "Kenri gateway",
      description: "The entry point for browsers and games: sign-in, profiles, notifications, matchmaking.",
    },
    security: {
      session: {
        type: "apiKey",
        in: "cookie",
        name: "__Host-kenri",
        description: "the session; requests that change something also need X-Kenri-CSRF",
      },
    },
    guard: guard.anybody("open"),
    routes: [
      jwksRoutes(mint, guard),
      signInRoutes({
        signIn: signing,
        sessions,
        guard,
        cookies: jar,
        origin,
        signInSeconds: Math.ceil(oidc.signInWithin / 1000),
      }),
      userRoutes(services, profiles, guard),
      notificationRoutes(services, streams, guard),
      matchmakingRoutes(services, guard),
      adminRoutes({ services, profiles, sessions, guard, changed: actors.wake, erasing: erasing.wake, log }),
      operatorRoutes(services, behind.operated, guard),
      gatewayHealthRoutes(health, guard),
      monitoringRoutes(readMonitoring, guard),
      configRoutes(({ roles }) => guard.signedIn(roles), { kernel: kernelSettings, gateway: behind.spec }, "/admin/api/gateway/config"),
      traceViewerRoutes(settings.traceViewer, guard),
      consoleRoutes(guard),
      homeRoutes(guard),
    ],
    before: [redis, integrity, broker, mint],
    // Streams never end by themselves: they are closed before the last requests are awaited.
    after: [streams, actors, checking, erasing],
  });
}
