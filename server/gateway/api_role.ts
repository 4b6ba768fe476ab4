import { natsAccess } from "../kernel/config/nats_access.ts";
import { type KernelSettings, kernelSettings } from "../kernel/config/settings.ts";
import { httpApp } from "../kernel/http/http.ts";
import { giveNotice, httpServer } from "../kernel/http/http_server.ts";
import { openapiRoutes } from "../kernel/http/openapi.ts";
import { publicHealthRoutes } from "../kernel/life/health.ts";
import type { RoleContext } from "../kernel/life/role.ts";
import { type Service, sequence, service } from "../kernel/life/service.ts";
import { createBroker } from "../kernel/nats/broker.ts";
import { configRoutes } from "../kernel/operator/config_routes.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { downstream } from "./calls/downstream.ts";
import { jwksRoutes } from "./calls/jwks_routes.ts";
import { createMint } from "./calls/mint.ts";
import { userRoutes } from "./calls/user_routes.ts";
import { type GatewaySettings, gatewaySecrets, gatewaySettings, redisAddress } from "./config.ts";
import { adminRoutes } from "./console/admin_routes.ts";
import { consoleAssets, consoleRoutes } from "./console/console_routes.ts";
import { gatewayHealthRoutes } from "./console/health_routes.ts";
import { homeAssets, homeRoutes } from "./console/home.ts";
import { operationActors } from "./console/operation_actors.ts";
import { operatorRoutes } from "./console/operator_routes.ts";
import { clientAddress } from "./edge/client_address.ts";
import { cookies } from "./edge/cookies.ts";
import { createIntegrity } from "./edge/integrity.ts";
import { limits } from "./edge/limits.ts";
import { people } from "./edge/people.ts";
import { securityHeaders } from "./edge/security_headers.ts";
import { sessionGuard } from "./edge/session_guard.ts";
import { sessions } from "./edge/sessions.ts";
import { identityProvider } from "./sign_in/identity_provider.ts";
import { signIn } from "./sign_in/sign_in.ts";
import { signInRoutes } from "./sign_in/sign_in_routes.ts";
import { notificationRoutes } from "./streams/notification_routes.ts";
import { createStreams } from "./streams/streams.ts";

/** `gateway:api`: the one door for browsers. */
export function gatewayApi(kernel: KernelSettings, settings: GatewaySettings, context: RoleContext): Service {
  const { log, health, metrics, worker } = context;
  const { deadline, oidc } = settings;
  const app = httpApp({ log, metrics, health, logRequests: kernel.logRequests, unlogged: [...homeAssets, consoleAssets] });
  const origin = () => settings.publicUrl ?? `http://${kernel.host}:${app.server?.port}`;
  const isSecure = () => origin().startsWith("https:");

  const redis = createRedis({ ...redisAddress(settings), deadline: settings.redisDeadline, log, health, metrics });
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
  });
  const actors = operationActors({ services, every: settings.confirmEvery, log, metrics });
  const known = people({ redis, integrity, services, ...settings.session });
  const kept = sessions(redis, integrity, settings.session);
  const jar = cookies(isSecure);
  const { session, user, address, signIn: signInLimit, open, keys, delay, trustedProxies } = settings.limits;
  const nearest = clientAddress(trustedProxies);
  const door = sessionGuard({
    sessions: kept,
    people: known,
    cookies: jar,
    takeLimit: limits(redis, { session, user, address, "sign-in": signInLimit, open, keys }, metrics, delay),
    addressOf: request => nearest(app.server?.requestIP(request)?.address, request.headers.get("x-forwarded-for")),
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
    people: known,
    within: oidc.signInWithin,
    origin,
  });
  const streams = createStreams({ services, sessions: kept, people: known, broker, ...settings.stream, log, metrics });

  securityHeaders(app, isSecure);
  app.use(publicHealthRoutes(health, door.anybody("open")));
  app.use(jwksRoutes(mint, door));
  app.use(
    signInRoutes({
      signIn: signing,
      sessions: kept,
      entrance: door,
      cookies: jar,
      origin,
      signInSeconds: Math.ceil(oidc.signInWithin / 1000),
    }),
  );
  app.use(userRoutes(services, known, door));
  app.use(notificationRoutes(services, streams, door));
  app.use(adminRoutes({ services, people: known, sessions: kept, entrance: door, changed: actors.wake, log }));
  app.use(operatorRoutes(services, door));
  app.use(gatewayHealthRoutes(health, door));
  app.use(
    configRoutes(({ roles }) => door.signedIn(roles), { kernel: kernelSettings, gateway: gatewaySettings }, "/admin/api/gateway/config"),
  );
  app.use(consoleRoutes(door));
  app.use(homeRoutes(door));
  openapiRoutes(
    app,
    { title: "Kenri gateway", description: "The one door for browsers and games: signing in, profiles, notifications." },
    {
      session: {
        type: "apiKey",
        in: "cookie",
        name: "__Host-kenri",
        description: "the session; what changes something also needs X-Kenri-CSRF",
      },
    },
    door.anybody("open"),
  );

  // Stopped in reverse: say so at /readyz, end the streams, finish what is under way, then let go of the others.
  const ready = service({
    async start() {
      health.state = "ready";
      log.info({ system: "gateway" }, "ready");
    },
    stop: () => giveNotice(health, kernel.shutdownNotice),
  });
  return sequence([redis, integrity, broker, mint, httpServer(app, { port: settings.port, kernel, log }), streams, actors, ready]);
}
