import { duration, httpUrl, integer, optional, type Settings, secret, secretUrl, text } from "../kernel/config/config.ts";
import { isLoopback, isOpenHttp } from "../kernel/config/loopback.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { type RedisAddress, redisAddressProblems } from "../kernel/redis/redis_address.ts";
import { isNetwork, isTooWide } from "./edge/client_address.ts";

const limit = (variable: string, about: string, preset: number) => integer(variable, about, preset, { minimum: 1, maximum: 10_000_000 });

export const gatewaySettings = {
  port: integer("GATEWAY_PORT", "the port of the gateway", 8080, { minimum: 0, maximum: 65535 }),
  healthPort: optional(
    integer("GATEWAY_HEALTH_PORT", "the health port of gateway where it differs from HEALTH_PORT", undefined, {
      minimum: 0,
      maximum: 65535,
    }),
  ),
  publicUrl: optional(
    httpUrl(
      "GATEWAY_PUBLIC_URL",
      "the address browsers use; required, and https unless it is loopback, in production; otherwise http://<host>:<port> when not set",
    ),
  ),
  secret: secret(
    "GATEWAY_SECRET",
    "shared by all gateways: signs what they keep in Redis (sessions, roles, their keys), at least 32 characters",
    32,
  ),
  previousSecret: optional(
    secret("GATEWAY_SECRET_PREVIOUS", "while GATEWAY_SECRET is changed: entries signed with this one are valid too", 32),
  ),
  redisUrl: secretUrl(
    "REDIS_URL",
    "Redis for sessions and limits, e.g. redis://127.0.0.1:6379, or rediss:// for TLS; with user:password@ before the host, required in production",
  ),
  redisUser: optional(text("REDIS_USER", "the ACL user at Redis, if REDIS_URL does not name it")),
  redisPassword: optional(secret("REDIS_PASSWORD", "the password at Redis, if REDIS_URL does not have it")),
  redisCaFile: optional(
    text("REDIS_CA_FILE", "the authority that vouches for Redis's certificate (PEM); those of the system when not set"),
  ),
  redisCertFile: optional(text("REDIS_CERT_FILE", "our own certificate for Redis (PEM), with REDIS_KEY_FILE")),
  redisKeyFile: optional(text("REDIS_KEY_FILE", "the key of REDIS_CERT_FILE (PEM)")),
  redisDeadline: duration("REDIS_DEADLINE", "an answer of Redis that takes longer counts as a Redis that is away", "500ms", {
    minimum: "10ms",
    maximum: "10s",
  }),
  natsUrls: roleNatsUrls("gateway:api"),
  services: {
    account: httpUrl("ACCOUNT_URL", "the address of account"),
    entitlement: httpUrl("ENTITLEMENT_URL", "the address of entitlement"),
    notification: httpUrl("NOTIFICATION_URL", "the address of notification"),
  },
  confirmEvery: duration(
    "OPERATION_CONFIRM_EVERY",
    "how often people with running bulk operations are confirmed; well below BULK_CONFIRMED_FOR",
    "2s",
    { minimum: "50ms", maximum: "1m" },
  ),
  deadline: duration("GATEWAY_DEADLINE", "how long a service may take to answer", "2s", { minimum: "50ms", maximum: "1m" }),
  actionDeadline: duration(
    "GATEWAY_ACTION_DEADLINE",
    "how long a service may take for an operator's action or preview; more than its OPERATOR_WAIT and OPERATOR_DEADLINE together",
    "8s",
    { minimum: "50ms", maximum: "1m" },
  ),
  userCalls: {
    most: integer(
      "USER_CALLS",
      "requests of one user that may be under way at the services at once, at a gateway; a browser makes six",
      8,
      {
        minimum: 1,
        maximum: 10_000,
      },
    ),
    wait: duration("USER_CALLS_WAIT", "how long the next requests of that user wait before they are refused", "2s", {
      minimum: "0ms",
      maximum: "30s",
    }),
  },
  oidc: {
    issuer: httpUrl("OIDC_ISSUER", "the identity provider, found by its discovery document; https, or loopback, in production"),
    internalUrl: optional(
      httpUrl(
        "OIDC_INTERNAL_URL",
        "the origin at which the gateway reaches the issuer, e.g. http://keycloak:8080, if it cannot use the address that browsers use",
      ),
    ),
    clientId: text("OIDC_CLIENT_ID", "what the identity provider knows this gateway as"),
    clientSecret: secret("OIDC_CLIENT_SECRET", "proves it; at least 16 characters in production"),
    provider: text("OIDC_PROVIDER", "the name under which account keeps identities of this provider", "oidc"),
    rolesClaim: optional(text("OIDC_ROLES_CLAIM", "the claim whose roles a user gets at the first sign-in; nobody gets any when not set")),
    signInWithin: duration("OIDC_SIGN_IN_WITHIN", "how long a sign-in may take", "10m", { minimum: "1s", maximum: "1h" }),
  },
  session: {
    idle: duration("SESSION_IDLE", "a session that nobody uses ends after this", "30m", { minimum: "100ms", maximum: "30d" }),
    absolute: duration("SESSION_ABSOLUTE", "every session ends after this", "12h", { minimum: "100ms", maximum: "90d" }),
    fresh: duration("SESSION_FRESH", "what account says of a user is believed this long; a suspension takes effect within it", "3s", {
      minimum: "0ms",
      maximum: "5m",
    }),
    perUser: integer("SESSIONS_PER_USER", "open sessions of one user; the oldest ends when there is one more", 20, {
      minimum: 1,
      maximum: 10_000,
    }),
    grace: duration("SESSION_GRACE", "how long it is believed while account is away", "1m", { minimum: "0ms", maximum: "1h" }),
  },
  tokens: {
    life: duration("TOKEN_LIFE", "how long a token for a service is good", "30s", { minimum: "1s", maximum: "110s" }),
    rotation: duration("TOKEN_KEY_ROTATION", "how long a gateway signs with one key", "12h", { minimum: "1s", maximum: "90d" }),
  },
  limits: {
    session: limit("LIMIT_SESSION", "requests a minute of one session", 600),
    user: limit("LIMIT_USER", "requests a minute of one user in all sessions; at once a sixth of it", 1200),
    address: limit("LIMIT_ADDRESS", "requests a minute of one address without a session", 300),
    signIn: limit("LIMIT_SIGN_IN", "steps of signing in a minute from one address", 60),
    open: limit(
      "LIMIT_OPEN",
      "requests a minute of one address for what anybody may read, at one gateway: pages, files, descriptions, health",
      3000,
    ),
    keys: limit(
      "LIMIT_KEYS",
      "requests a minute of one address for the keys of the gateways' tokens, at one gateway; services ask for them",
      6000,
    ),
    delay: duration(
      "LIMIT_DELAY",
      "how long the refusal of a request over a limit is held back, so that asking again and again is slow",
      "500ms",
      {
        minimum: "0ms",
        maximum: "10s",
      },
    ),
    trustedProxies: optional(
      text("TRUSTED_PROXIES", "addresses and networks (CIDR), separated by commas, whose X-Forwarded-For is believed"),
    ),
  },
  stream: {
    subject: text("INBOX_SUBJECT", "where notification hints that a user's inbox has grown", "notification.inbox"),
    heartbeat: duration(
      "STREAM_HEARTBEAT",
      "how often a quiet stream says that it lives, and looks at the inbox in case a hint was lost",
      "10s",
      {
        minimum: "50ms",
        maximum: "15s",
      },
    ),
    perUser: integer("STREAMS_PER_USER", "streams one user may have open at a gateway", 8, { minimum: 1, maximum: 1000 }),
    most: integer("STREAMS_MOST", "streams that may be open at a gateway", 10_000, { minimum: 1, maximum: 1_000_000 }),
  },
} as const;

export type GatewaySettings = Settings<typeof gatewaySettings>;

/** Where Redis is, as its client takes it. */
export const redisAddress = (settings: GatewaySettings): RedisAddress => ({
  url: settings.redisUrl,
  user: settings.redisUser,
  password: settings.redisPassword,
  caFile: settings.redisCaFile,
  certFile: settings.redisCertFile,
  keyFile: settings.redisKeyFile,
});

/** The secret that signs, and then those that are valid too. */
export const gatewaySecrets = ({ secret, previousSecret }: GatewaySettings): string[] => [
  secret,
  ...(previousSecret ? [previousSecret] : []),
];

/** What is wrong with the settings as a whole. */
export function gatewayProblems(settings: GatewaySettings, environment: string): string[] {
  const { publicUrl, limits, oidc, redisUrl } = settings;
  const strangers = proxiesOf(limits.trustedProxies).filter(entry => !isNetwork(entry));
  const isOrigin = publicUrl === undefined || URL.parse(publicUrl)?.origin === publicUrl;
  const { internalUrl } = oidc;
  const isInternalOrigin = internalUrl === undefined || URL.parse(internalUrl)?.origin === internalUrl;
  return [
    ...(isInternalOrigin
      ? []
      : [`OIDC_INTERNAL_URL must be an origin, e.g. ${URL.parse(internalUrl)?.origin}: the path is that of OIDC_ISSUER`]),
    ...(isOrigin ? [] : [`GATEWAY_PUBLIC_URL must be an origin as browsers write it, e.g. ${URL.parse(publicUrl ?? "")?.origin}`]),
    ...strangers.map(entry => `TRUSTED_PROXIES: ${JSON.stringify(entry)} is neither an address nor a network such as 10.0.0.0/8`),
    ...(redisUrl === undefined ? [] : redisAddressProblems(redisAddress(settings))),
    ...(environment === "production" ? productionProblems(settings) : []),
  ];
}

const proxiesOf = (list: string | undefined) => (list?.split(",") ?? []).map(entry => entry.trim());
const shortestClientSecret = 16;

/** What is fine on a developer's machine and a hole in production. Settings that could not be read are undefined here. */
function productionProblems({ publicUrl, oidc, limits, redisUrl, redisPassword }: GatewaySettings): string[] {
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
    ...(redisUrl !== undefined && !redisPassword && !URL.parse(redisUrl)?.password
      ? ["Redis has no password with KENRI_ENV=production: write it in REDIS_URL (user:password@ before the host) or set REDIS_PASSWORD"]
      : []),
    ...tooWide.map(
      entry =>
        `TRUSTED_PROXIES: ${entry} is too wide with KENRI_ENV=production: anybody could choose their address; name your proxies' own network`,
    ),
  ];
}
