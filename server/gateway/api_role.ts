import { createBroker } from "../kernel/broker.ts";
import { configRoutes } from "../kernel/config_routes.ts";
import { publicHealthRoutes } from "../kernel/health.ts";
import { httpApp } from "../kernel/http.ts";
import { giveNotice, httpServer } from "../kernel/http_server.ts";
import { natsAccess } from "../kernel/nats_access.ts";
import { openapiRoutes } from "../kernel/openapi.ts";
import { createRedis } from "../kernel/redis.ts";
import type { RoleContext } from "../kernel/role.ts";
import { group, type Service, service } from "../kernel/service.ts";
import { type KernelSettings, kernelSettings } from "../kernel/settings.ts";
import { adminRoutes } from "./admin_routes.ts";
import { clientAddress } from "./client_address.ts";
import { type GatewaySettings, gatewaySecrets, gatewaySettings, redisAddress } from "./config.ts";
import { consoleAssets, consoleRoutes } from "./console_routes.ts";
import { cookies } from "./cookies.ts";
import { downstream } from "./downstream.ts";
import { entrance } from "./entrance.ts";
import { gatewayHealthRoutes } from "./health_routes.ts";
import { homeAssets, homeRoutes } from "./home.ts";
import { identityProvider } from "./identity_provider.ts";
import { createIntegrity } from "./integrity.ts";
import { jwksRoutes } from "./jwks_routes.ts";
import { limits } from "./limits.ts";
import { createMint } from "./mint.ts";
import { notificationRoutes } from "./notification_routes.ts";
import { operationActors } from "./operation_actors.ts";
import { operatorRoutes } from "./operator_routes.ts";
import { people } from "./people.ts";
import { securityHeaders } from "./security_headers.ts";
import { sessions } from "./sessions.ts";
import { signIn } from "./sign_in.ts";
import { signInRoutes } from "./sign_in_routes.ts";
import { createStreams } from "./streams.ts";
import { userRoutes } from "./user_routes.ts";

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
  const door = entrance({
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
  return group([redis, integrity, broker, mint, httpServer(app, { port: settings.port, kernel, log }), streams, actors, ready]);
}
