import { duration, httpUrl, integer, optional, type Settings, secret, secretUrl, text } from "../kernel/config.ts";
import { isNetwork } from "./client_address.ts";

const limit = (variable: string, about: string, preset: number) => integer(variable, about, preset, { minimum: 1, maximum: 10_000_000 });

export const gatewaySettings = {
  port: integer("GATEWAY_PORT", "the port of the gateway", 8080, { minimum: 0, maximum: 65535 }),
  publicUrl: optional(
    httpUrl(
      "GATEWAY_PUBLIC_URL",
      "the address browsers use; required, and https unless it is loopback, in production; otherwise http://<host>:<port> when not set",
    ),
  ),
  redisUrl: secretUrl("REDIS_URL", "Redis for sessions and limits, e.g. redis://127.0.0.1:6379"),
  redisDeadline: duration("REDIS_DEADLINE", "an answer of Redis that takes longer counts as a Redis that is away", "500ms", {
    minimum: "10ms",
    maximum: "10s",
  }),
  services: {
    account: httpUrl("ACCOUNT_URL", "the address of account"),
    entitlement: httpUrl("ENTITLEMENT_URL", "the address of entitlement"),
    notification: httpUrl("NOTIFICATION_URL", "the address of notification"),
  },
  deadline: duration("GATEWAY_DEADLINE", "how long a service may take to answer", "2s", { minimum: "50ms", maximum: "1m" }),
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
    issuer: httpUrl("OIDC_ISSUER", "the identity provider, found by its discovery document"),
    clientId: text("OIDC_CLIENT_ID", "what the identity provider knows this gateway as"),
    clientSecret: secret("OIDC_CLIENT_SECRET", "proves it"),
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

/** What is wrong with the settings as a whole. */
export function gatewayProblems({ publicUrl, limits }: GatewaySettings, environment: string): string[] {
  const isOpen = environment === "production" && !/^(https:|http:\/\/(127\.0\.0\.1|localhost)(:|$))/.test(publicUrl ?? "");
  const strangers = (limits.trustedProxies?.split(",") ?? []).map(entry => entry.trim()).filter(entry => !isNetwork(entry));
  const isOrigin = publicUrl === undefined || URL.parse(publicUrl)?.origin === publicUrl;
  return [
    ...(isOrigin ? [] : [`GATEWAY_PUBLIC_URL must be an origin as browsers write it, e.g. ${URL.parse(publicUrl ?? "")?.origin}`]),
    ...(isOpen
      ? ["GATEWAY_PUBLIC_URL must be set and https (or loopback) with KENRI_ENV=production: its cookies go over nothing else"]
      : []),
    ...strangers.map(entry => `TRUSTED_PROXIES: ${JSON.stringify(entry)} is neither an address nor a network such as 10.0.0.0/8`),
  ];
}
