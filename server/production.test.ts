import { describe, expect, test } from "bun:test";
import { ConfigError } from "./kernel/config/config.ts";
import { prefixOf } from "./kernel/config/system_settings.ts";
import { allRoles, settingsFor, systems } from "./systems.ts";
import { serviceUrls } from "./testing/gateway.ts";
import { startProcess } from "./testing/process.ts";

const secret = "0123456789abcdef0123456789abcdef";
const databaseUrls = (system: string) => [
  [`${prefixOf(system)}_DATABASE_URL`, `postgres://owner:hunter2@db/${system}`],
  [`${prefixOf(system)}_APP_DATABASE_URL`, `postgres://app:hunter2@db/${system}`],
];
/** Settings that production accepts. */
const safe: Record<string, string> = {
  KENRI_ENV: "production",
  NATS_URL: "nats://kenri:hunter2@nats:4222",
  ...Object.fromEntries(systems.filter(({ database }) => database).flatMap(({ name }) => databaseUrls(name))),
  EVENT_SIGNING_KEYS: `k1:${secret}`,
  GATEWAY_PUBLIC_URL: "https://kenri.example",
  GATEWAY_SECRET: secret,
  REDIS_URL: "redis://:hunter2@redis:6379",
  ...serviceUrls(name => `http://${name}:8080`),
  OIDC_ISSUER: "https://idp.example/realms/kenri",
  OIDC_CLIENT_ID: "kenri",
  OIDC_CLIENT_SECRET: secret,
  BROKER_URL: "https://broker.example",
  BROKER_TOKEN: secret,
  TRUSTED_PROXIES: "10.0.0.0/8, fc00::/7, 192.0.2.1",
};

/** Changed settings, and the text of the refusal; an empty value means not set. */
const unsafe: readonly [what: string, changed: Record<string, string>, sentence: string][] = [
  [
    "a Redis without a password",
    { REDIS_URL: "redis://redis:6379" },
    "Redis has no password with KENRI_ENV=production: write it in REDIS_URL",
  ],
  ["a Redis with a user and no password", { REDIS_URL: "redis://kenri@redis:6379" }, "REDIS_USER has no password: set REDIS_PASSWORD"],
  ["a Redis by TLS without a password", { REDIS_URL: "rediss://redis:6379" }, "Redis has no password"],
  ["two passwords for Redis", { REDIS_PASSWORD: "hunter2" }, "REDIS_URL has a password and REDIS_PASSWORD is set too: set one of them"],
  ["an authority for Redis in plain text", { REDIS_CA_FILE: import.meta.path }, "REDIS_CA_FILE is for TLS: write rediss:// in REDIS_URL"],
  [
    "an authority for Redis that cannot be read",
    { REDIS_URL: "rediss://:hunter2@redis", REDIS_CA_FILE: "/none.pem" },
    'REDIS_CA_FILE: the file "/none.pem" cannot be read',
  ],
  ["NATS without credentials", { NATS_URL: "nats://nats:4222" }, "NATS has no credentials with KENRI_ENV=production"],
  ["two users for NATS", { NATS_URL: "nats://a:hunter2@one,nats://b:hunter2@two" }, "NATS_URL=(hidden) is not allowed"],
  ["unsigned events", { EVENT_SIGNING_KEYS: "" }, "EVENT_SIGNING_KEYS is not set"],
  ["a short secret of a signing key", { EVENT_SIGNING_KEYS: "k1:hunter2" }, "EVENT_SIGNING_KEYS=(hidden) is not allowed"],
  ["an issuer over http", { OIDC_ISSUER: "http://idp.example" }, "OIDC_ISSUER must be https (or loopback)"],
  ["an issuer that only looks like loopback", { OIDC_ISSUER: "http://127.0.0.1.evil.example" }, "OIDC_ISSUER must be https (or loopback)"],
  ["a short client secret", { OIDC_CLIENT_SECRET: "fifteen-chars-x" }, "OIDC_CLIENT_SECRET must have at least 16 characters"],
  ["no secret of the gateways", { GATEWAY_SECRET: "" }, "GATEWAY_SECRET is not set: shared by all gateways"],
  [
    "a short secret of the gateways",
    { GATEWAY_SECRET: secret.slice(1) },
    "GATEWAY_SECRET=(hidden) is not allowed: expected at least 32 characters",
  ],
  ["a short secret before it", { GATEWAY_SECRET_PREVIOUS: "hunter2" }, "GATEWAY_SECRET_PREVIOUS=(hidden) is not allowed"],
  ["a broker without a token", { BROKER_TOKEN: "" }, "BROKER_TOKEN is not set"],
  ["a short token of the broker", { BROKER_TOKEN: "hunter2" }, "BROKER_TOKEN=(hidden) is not allowed"],
  ["no public address", { GATEWAY_PUBLIC_URL: "" }, "GATEWAY_PUBLIC_URL must be set and https (or loopback)"],
  ["a public address over http", { GATEWAY_PUBLIC_URL: "http://kenri.example" }, "GATEWAY_PUBLIC_URL must be set and https (or loopback)"],
  ["every address of IPv4 as a proxy", { TRUSTED_PROXIES: "0.0.0.0/0" }, "TRUSTED_PROXIES: 0.0.0.0/0 is too wide"],
  ["every address of IPv6 as a proxy", { TRUSTED_PROXIES: "10.0.0.1, ::/0" }, "TRUSTED_PROXIES: ::/0 is too wide"],
  ["both halves of IPv4 as proxies", { TRUSTED_PROXIES: "0.0.0.0/1,128.0.0.0/1" }, "TRUSTED_PROXIES: 128.0.0.0/1 is too wide"],
  ["IPv4 in a network of IPv6 as a proxy", { TRUSTED_PROXIES: "::/8" }, "TRUSTED_PROXIES: ::/8 is too wide"],
  [
    "IPv4 in another form of IPv6 as a proxy",
    { TRUSTED_PROXIES: "0:0:0:0:0:ffff:0:0/96" },
    "TRUSTED_PROXIES: 0:0:0:0:0:ffff:0:0/96 is too",
  ],
  ["half of the public IPv6 as a proxy", { TRUSTED_PROXIES: "2000::/7" }, "TRUSTED_PROXIES: 2000::/7 is too wide"],
  ["IPv4 in the form of IPv6 as a proxy", { TRUSTED_PROXIES: "::ffff:0.0.0.0/96" }, "TRUSTED_PROXIES: ::ffff:0.0.0.0/96 is too wide"],
  [
    "a database without a password",
    { ACCOUNT_APP_DATABASE_URL: "postgres://app@db/account" },
    "ACCOUNT_APP_DATABASE_URL has no password with KENRI_ENV=production: write it in the URL",
  ],
  [
    "an owner without a password",
    { ENTITLEMENT_DATABASE_URL: "postgres://owner@db/entitlement" },
    "ENTITLEMENT_DATABASE_URL has no password",
  ],
  [
    "an authority for a database without TLS",
    { NOTIFICATION_APP_DATABASE_URL: `postgres://app:hunter2@db/n?sslrootcert=${import.meta.path}` },
    "names a certificate but no sslmode: write sslmode=verify-full",
  ],
  [
    "an unknown sslmode",
    { NOTIFICATION_APP_DATABASE_URL: "postgres://app:hunter2@db/n?sslmode=verify" },
    "NOTIFICATION_APP_DATABASE_URL: sslmode must be one of disable,",
  ],
  [
    "an authority for a database that cannot be read",
    { NOTIFICATION_APP_DATABASE_URL: "postgres://app:hunter2@db/n?sslmode=verify-full&sslrootcert=/none.pem" },
    'NOTIFICATION_APP_DATABASE_URL: the file of sslrootcert, "/none.pem", cannot be read',
  ],
  [
    "a secret that is set twice",
    { OIDC_CLIENT_SECRET_FILE: import.meta.path },
    "OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE are both set",
  ],
  [
    "a file for a secret that is not there",
    { GATEWAY_SECRET: "", GATEWAY_SECRET_FILE: "/none" },
    'GATEWAY_SECRET_FILE: the file "/none" cannot be read',
  ],
  ["a fault on purpose", { FAULT_KILL_AT: "relay" }, "FAULT_KILL_AT is refused with KENRI_ENV=production"],
];

function problemsOf(changed: Record<string, string>): string[] {
  try {
    settingsFor(allRoles, { ...safe, ...changed });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

describe("production", () => {
  test("starts with safe settings", () => {
    expect(problemsOf({})).toEqual([]);
  });

  test.each(unsafe)("refuses %s and says what to set", (_, changed, sentence) => {
    const problems = problemsOf(changed);
    expect(problems.filter(problem => problem.includes(sentence))).toHaveLength(1);
    expect(problems.join()).not.toMatch(/hunter2|fifteen-chars|0123456789/);
  });

  test.each([
    ["everything on this machine", { OIDC_ISSUER: "http://127.0.0.1:8180", GATEWAY_PUBLIC_URL: "http://[::1]:8080" }],
    ["names under localhost", { OIDC_ISSUER: "http://idp.localhost:8180", GATEWAY_PUBLIC_URL: "http://localhost:8080" }],
    ["a database on this machine without a password", { ACCOUNT_APP_DATABASE_URL: "postgres://app@127.0.0.1/account" }],
    ["a token for NATS", { NATS_URL: "nats://hunter2@one,hunter2@two:4222" }],
    ["a password for Redis beside its URL", { REDIS_URL: "rediss://redis", REDIS_USER: "kenri", REDIS_PASSWORD: "hunter2" }],
  ])("takes %s", (_, changed) => {
    expect(problemsOf(changed)).toEqual([]);
  });

  test("elsewhere the same is fine, except what cannot work", () => {
    const open = { NATS_URL: "nats://nats", REDIS_URL: "redis://redis", OIDC_ISSUER: "http://idp.example", OIDC_CLIENT_SECRET: "short" };
    expect(problemsOf({ ...open, KENRI_ENV: "development", TRUSTED_PROXIES: "0.0.0.0/0", GATEWAY_PUBLIC_URL: "" })).toEqual([]);
  });

  test.each([
    [
      "gateway",
      { REDIS_URL: "redis://redis:6379", TRUSTED_PROXIES: "0.0.0.0/0" },
      ["Redis has no password", "TRUSTED_PROXIES: 0.0.0.0/0 is too wide"],
    ],
    ["entitlement:relay", { NATS_URL: "nats://nats:4222" }, ["NATS has no credentials"]],
    ["account:api", { ACCOUNT_APP_DATABASE_URL: "postgres://app@db/account" }, ["ACCOUNT_APP_DATABASE_URL has no password"]],
  ])("ends %s with all that is unsafe in its settings", async (what, changed: Record<string, string>, sentences) => {
    const process = startProcess(what, { ...safe, ...changed });
    expect(await process.exited).toBe(1);
    const said = process.lines.join("\n");
    expect(said).toContain(`the configuration is wrong in ${sentences.length} place`);
    for (const sentence of sentences) expect(said).toContain(sentence);
    expect(said).not.toContain("hunter2");
  });
});
