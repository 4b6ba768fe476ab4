import { feedHints } from "../contracts/feed_hints.ts";
import { duration, httpUrl, integer, optional, type Setting, type Settings, secret, text, urlTemplate } from "../kernel/config/config.ts";
import { isLoopback, isOpenHttp } from "../kernel/config/loopback.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { healthPortSetting, portSetting, prefixOf } from "../kernel/config/system_settings.ts";
import { redisProblems, redisSettings } from "../kernel/redis/redis_settings.ts";
import { isNetwork, isTooWide } from "./edge/client_address.ts";
import type { SystemName } from "./services.ts";

const limit = (variable: string, about: string, preset: number) => integer(variable, about, preset, { minimum: 1, maximum: 10_000_000 });

export const limitSettings = {
  session: limit("LIMIT_SESSION", "requests a minute of one session", 600),
  user: limit("LIMIT_USER", "requests a minute of one user in all sessions; a burst of at most a sixth of it", 1200),
  matchmaking: limit(
    "LIMIT_MATCHMAKING",
    "requests a minute of one user to join a queue; they count for the session and the user, too",
    60,
  ),
  address: limit("LIMIT_ADDRESS", "requests a minute of one address without a session", 300),
  signIn: limit("LIMIT_SIGN_IN", "sign-in requests a minute from one address", 60),
  open: limit(
    "LIMIT_OPEN",
    "requests a minute of one address for public resources, at one gateway: pages, files, API descriptions, health",
    3000,
  ),
  keys: limit("LIMIT_KEYS", "requests a minute of one address for the public keys of the tokens, at one gateway; services read them", 6000),
  delay: duration("LIMIT_DELAY", "how long the refusal of a request over a limit is delayed, so that repeated requests are slow", "500ms", {
    minimum: "0ms",
    maximum: "10s",
  }),
  trustedProxies: optional(text("TRUSTED_PROXIES", "addresses and networks (CIDR), separated by commas, whose X-Forwarded-For is trusted")),
} as const;

/** `ENTITLEMENT_URL` for `entitlement`, and so on. */
const serviceUrls = (services: readonly SystemName[]) =>
  Object.fromEntries(services.map(name => [name, httpUrl(`${prefixOf(name)}_URL`, `the address of ${name}:api`)])) as Readonly<
    Record<SystemName, Setting<string>>
  >;

export const gatewaySettings = (services: readonly SystemName[]) =>
  ({
    port: portSetting("gateway", 8080),
    healthPort: healthPortSetting("gateway"),
    publicUrl: optional(
      httpUrl(
        "GATEWAY_PUBLIC_URL",
        "the origin that browsers use; required in production, with https unless it is loopback; http://<host>:<port> if not set elsewhere",
      ),
    ),
    secret: secret(
      "GATEWAY_SECRET",
      "shared by all gateways: signs their entries in Redis (sessions, roles, keys), at least 32 characters",
      32,
    ),
    previousSecret: optional(
      secret("GATEWAY_SECRET_PREVIOUS", "the former GATEWAY_SECRET during a change: entries that it signed are valid too", 32),
    ),
    ...redisSettings,
    natsUrls: roleNatsUrls("gateway:api"),
    services: serviceUrls(services),
    confirmEvery: duration(
      "OPERATION_CONFIRM_EVERY",
      "how often the roles of people with running bulk operations are confirmed; must be well below BULK_CONFIRMED_FOR",
      "2s",
      { minimum: "50ms", maximum: "1m" },
    ),
    deadline: duration("GATEWAY_DEADLINE", "the deadline of a call to a service", "2s", { minimum: "50ms", maximum: "1m" }),
    actionDeadline: duration(
      "GATEWAY_ACTION_DEADLINE",
      "the deadline of an operator's action or preview; must be above the service's OPERATOR_WAIT and OPERATOR_DEADLINE together",
      "8s",
      { minimum: "50ms", maximum: "1m" },
    ),
    userCalls: {
      most: integer("USER_CALLS", "calls of one user to services at once, for each gateway; a browser makes six", 8, {
        minimum: 1,
        maximum: 10_000,
      }),
      wait: duration("USER_CALLS_WAIT", "how long further requests of that user wait before they are refused", "2s", {
        minimum: "0ms",
        maximum: "30s",
      }),
    },
    oidc: {
      issuer: httpUrl(
        "OIDC_ISSUER",
        "the issuer URL of the identity provider, which serves its discovery document; https or loopback in production",
      ),
      internalUrl: optional(
        httpUrl(
          "OIDC_INTERNAL_URL",
          "the origin of the issuer for the gateway, e.g. http://keycloak:8080, if it differs from the one that browsers use",
        ),
      ),
      clientId: text("OIDC_CLIENT_ID", "the client id of the gateway at the identity provider"),
      clientSecret: secret("OIDC_CLIENT_SECRET", "the client secret of the gateway; at least 16 characters in production"),
      provider: text("OIDC_PROVIDER", "the name of this provider in account's identities", "oidc"),
      rolesClaim: optional(text("OIDC_ROLES_CLAIM", "the claim with the roles that a user gets at the first sign-in; no roles if not set")),
      checkEvery: duration("OIDC_CHECK_EVERY", "how often the gateway checks that the identity provider answers", "10s", {
        minimum: "100ms",
        maximum: "1h",
      }),
      signInWithin: duration("OIDC_SIGN_IN_WITHIN", "how long a sign-in may take", "10m", { minimum: "1s", maximum: "1h" }),
    },
    session: {
      idle: duration("SESSION_IDLE", "an unused session ends after this", "30m", { minimum: "100ms", maximum: "30d" }),
      absolute: duration("SESSION_ABSOLUTE", "every session ends after this", "12h", { minimum: "100ms", maximum: "90d" }),
      fresh: duration("SESSION_FRESH", "how long account's answer about a user is cached; a suspension takes effect within it", "3s", {
        minimum: "0ms",
        maximum: "5m",
      }),
      perUser: integer("SESSIONS_PER_USER", "the most open sessions of one user; one more ends the oldest", 20, {
        minimum: 1,
        maximum: 10_000,
      }),
      grace: duration("SESSION_GRACE", "how long the cached answer is used while account is unavailable", "1m", {
        minimum: "0ms",
        maximum: "1h",
      }),
    },
    tokens: {
      life: duration("TOKEN_LIFE", "how long a token for a service is valid", "30s", { minimum: "1s", maximum: "110s" }),
      rotation: duration("TOKEN_KEY_ROTATION", "how long a gateway signs with one key", "12h", { minimum: "1s", maximum: "90d" }),
    },
    limits: limitSettings,
    traceViewer: optional(
      urlTemplate(
        "TRACE_VIEWER_URL",
        "the page of a trace in the trace viewer, for links in the console, with {trace_id}, e.g. http://127.0.0.1:16686/trace/{trace_id}; no links if not set",
        "trace_id",
      ),
    ),
    monitoring: {
      prometheusUrl: optional(
        httpUrl(
          "PROMETHEUS_URL",
          "the Prometheus that evaluates Kenri's rules; the console shows its error budgets and alerts; none if not set",
        ),
      ),
      prometheusToken: optional(secret("PROMETHEUS_TOKEN", "the bearer token of the gateway at Prometheus, if it needs one")),
      runbookUrl: optional(httpUrl("RUNBOOK_URL", "where docs/runbook.md is published; the console links each alert to its section there")),
    },
    stream: {
      subject: feedHints.subject,
      heartbeat: duration(
        "STREAM_HEARTBEAT",
        "how often a quiet stream sends a heartbeat, and reads the feed in case a hint was lost",
        "10s",
        {
          minimum: "50ms",
          maximum: "15s",
        },
      ),
      perUser: integer("STREAMS_PER_USER", "the most open streams of one user at a gateway", 8, { minimum: 1, maximum: 1000 }),
      most: integer("STREAMS_MOST", "the most open streams at a gateway", 10_000, { minimum: 1, maximum: 1_000_000 }),
    },
  }) as const;

export type GatewaySettings = Settings<ReturnType<typeof gatewaySettings>>;

/** The secret that signs, then the ones that are valid too. */
export const gatewaySecrets = ({ secret, previousSecret }: GatewaySettings): string[] => [
  secret,
  ...(previousSecret ? [previousSecret] : []),
];

/** What is wrong with the settings together. */
export function gatewayProblems(settings: GatewaySettings, environment: string): string[] {
  const { publicUrl, limits, oidc, monitoring } = settings;
  const strangers = proxiesOf(limits.trustedProxies).filter(entry => !isNetwork(entry));
  const isOrigin = publicUrl === undefined || URL.parse(publicUrl)?.origin === publicUrl;
  const { internalUrl } = oidc;
  const isInternalOrigin = internalUrl === undefined || URL.parse(internalUrl)?.origin === internalUrl;
  return [
    ...(isInternalOrigin
      ? []
      : [`OIDC_INTERNAL_URL must be an origin, e.g. ${URL.parse(internalUrl)?.origin}: the path is that of OIDC_ISSUER`]),
    ...(isOrigin ? [] : [`GATEWAY_PUBLIC_URL must be an origin as browsers write it, e.g. ${URL.parse(publicUrl ?? "")?.origin}`]),
    ...(URL.parse(monitoring.prometheusUrl ?? "")?.password || URL.parse(monitoring.prometheusUrl ?? "")?.username
      ? ["PROMETHEUS_URL must have no user and password, since it is shown in the console: set PROMETHEUS_TOKEN"]
      : []),
    ...strangers.map(entry => `TRUSTED_PROXIES: ${JSON.stringify(entry)} is neither an address nor a network such as 10.0.0.0/8`),
    ...redisProblems(settings, environment),
    ...(environment === "production" ? productionProblems(settings) : []),
  ];
}

const proxiesOf = (list: string | undefined) => (list?.split(",") ?? []).map(entry => entry.trim());
const shortestClientSecret = 16;

/** What is fine on a developer's machine and unsafe in production. Settings that could not be read are undefined. */
function productionProblems({ publicUrl, oidc, limits, monitoring }: GatewaySettings): string[] {
  const isHttps = publicUrl?.startsWith("https:") || isLoopback(URL.parse(publicUrl ?? "")?.hostname ?? "none");
  const tooWide = proxiesOf(limits.trustedProxies).filter(entry => isNetwork(entry) && isTooWide(entry));
  return [
    ...(isHttps
      ? []
      : ["GATEWAY_PUBLIC_URL must be set and https (or loopback) with KENRI_ENV=production: its cookies go over nothing else"]),
    ...(oidc.issuer !== undefined && isOpenHttp(oidc.issuer)
      ? ["OIDC_ISSUER must be https (or loopback) with KENRI_ENV=production: over http anybody between can sign in as anybody"]
      : []),
    ...(oidc.clientSecret !== undefined && oidc.clientSecret.length < shortestClientSecret
      ? [
          `OIDC_CLIENT_SECRET must have at least ${shortestClientSecret} characters with KENRI_ENV=production: set a random one at the provider`,
        ]
      : []),
    ...(monitoring.prometheusToken !== undefined && isOpenHttp(monitoring.prometheusUrl ?? "")
      ? [
          "PROMETHEUS_URL must be https (or loopback) with PROMETHEUS_TOKEN and KENRI_ENV=production: over http anybody between can read the token",
        ]
      : []),
    ...tooWide.map(
      entry =>
        `TRUSTED_PROXIES: ${entry} is too wide with KENRI_ENV=production: anybody could choose their address; name your proxies' own network`,
    ),
  ];
}
