import { duration, optional, type Settings, secret, secretUrl, text } from "../config/config.ts";
import { type RedisAddress, redisAddressProblems } from "./redis_address.ts";

/** For every system that uses Redis. */
export const redisSettings = {
  redisUrl: secretUrl(
    "REDIS_URL",
    "Redis, e.g. redis://127.0.0.1:6379, or rediss:// for TLS; may have user:password@ before the host; a password is required in production",
  ),
  redisUser: optional(text("REDIS_USER", "the ACL user at Redis, if REDIS_URL does not name it")),
  redisPassword: optional(secret("REDIS_PASSWORD", "the password at Redis, if REDIS_URL does not have it")),
  redisCaFile: optional(text("REDIS_CA_FILE", "the CA certificates for Redis (PEM); those of the operating system if not set")),
  redisCertFile: optional(text("REDIS_CERT_FILE", "the client certificate for Redis (PEM), with REDIS_KEY_FILE")),
  redisKeyFile: optional(text("REDIS_KEY_FILE", "the private key of REDIS_CERT_FILE (PEM)")),
  redisDeadline: duration("REDIS_DEADLINE", "the deadline of a command; after it Redis counts as unavailable", "500ms", {
    minimum: "10ms",
    maximum: "10s",
  }),
} as const;

export type RedisSettings = Settings<typeof redisSettings>;

/** The address of Redis for its client. */
export const redisAddress = (settings: RedisSettings): RedisAddress => ({
  url: settings.redisUrl,
  user: settings.redisUser,
  password: settings.redisPassword,
  caFile: settings.redisCaFile,
  certFile: settings.redisCertFile,
  keyFile: settings.redisKeyFile,
});

/** What is wrong with these settings together. Settings that could not be read are undefined. */
export function redisProblems(settings: RedisSettings, environment: string): string[] {
  const { redisUrl, redisPassword } = settings;
  if (redisUrl === undefined) return [];
  const isOpen = environment === "production" && !redisPassword && !URL.parse(redisUrl)?.password;
  return [
    ...redisAddressProblems(redisAddress(settings)),
    ...(isOpen
      ? ["Redis has no password with KENRI_ENV=production: write it in REDIS_URL (user:password@ before the host) or set REDIS_PASSWORD"]
      : []),
  ];
}
