import { isFree } from "../../stack/ports.ts";
import { reachable, type SystemName } from "../gateway/services.ts";
import { prefixOf } from "../kernel/config/system_settings.ts";
import { systems } from "../systems.ts";
import { testSecret } from "./integrity.ts";
import type { TestKenri, TestProcess } from "./kenri.ts";
import { testRedisUrl } from "./redis.ts";

export interface TestGateway {
  readonly url: string;
  readonly process: TestProcess;
}

/** The address of a gateway that starts later, and the settings that services need for it. */
export interface GatewayPlace {
  readonly port: number;
  readonly url: string;
  readonly forServices: Record<string, string>;
}

/** Below the range of outgoing connections, so that a process that is down for a while gets its port again. */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  return (await isFree(port)) ? port : freePort();
}

/** Reserves the address: services start with it, then the gateway starts at it. */
export async function gatewayPlace(): Promise<GatewayPlace> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return { port, url, forServices: { GATEWAY_JWKS_URL: `${url}/.well-known/jwks.json` } };
}

/** The identity provider that `bun run test` started for all test files. */
function testIdp(): Record<string, string> {
  const { KENRI_TEST_IDP_ISSUER: issuer, KENRI_TEST_IDP_CLIENT_ID: id, KENRI_TEST_IDP_CLIENT_SECRET: proof } = process.env;
  if (!issuer || !id || !proof) throw new Error("no test servers: run the tests with `bun run test [files]`");
  return { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: proof, OIDC_ROLES_CLAIM: "roles" };
}

/** Nothing listens there. */
export const nowhere = "http://127.0.0.1:1";

// Most routes need these, so a test that forgot to start one is told at once. Other systems need not run.
const required: readonly SystemName[] = ["account", "entitlement", "notification"];

/** The settings of a gateway for the systems behind it. */
export const serviceUrls = (urlOf: (system: SystemName) => string): Record<string, string> =>
  Object.fromEntries(reachable(systems).names.map(name => [`${prefixOf(name)}_URL`, urlOf(name)]));

// All tests send many requests from one address, and run beside others: a busy machine is not an outage.
const generous = {
  REDIS_DEADLINE: "2s",
  GATEWAY_DEADLINE: "5s",
  LIMIT_SESSION: "1000000",
  LIMIT_ADDRESS: "1000000",
  LIMIT_SIGN_IN: "1000000",
  LIMIT_OPEN: "1000000",
  LIMIT_KEYS: "1000000",
  LIMIT_USER: "1000000",
  LIMIT_MATCHMAKING: "1000000",
  LIMIT_DELAY: "0ms",
};

/** A gateway in front of services that run already. */
export async function startGateway(
  kenri: TestKenri,
  { port, url }: GatewayPlace,
  environment: Record<string, string> = {},
  what: "gateway" | "gateway:api" = "gateway:api",
): Promise<TestGateway> {
  const process = kenri.launch(what, {
    GATEWAY_PORT: String(port),
    GATEWAY_SECRET: testSecret,
    ...(environment.REDIS_URL ? {} : { REDIS_URL: testRedisUrl() }),
    ...serviceUrls(name => (required.includes(name) || kenri.isStarted(name) ? kenri.urlOf(name) : nowhere)),
    ...(environment.OIDC_ISSUER ? {} : testIdp()),
    ...generous,
    ...environment,
  });
  await process.logged('"system":"gateway","msg":"ready"');
  return { url, process };
}
