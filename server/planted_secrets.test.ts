import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../stack/wait.ts";
import { nowhere, serviceUrls } from "./testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri } from "./testing/kenri.ts";
import { startProcess } from "./testing/process.ts";

// In every secret that a process or a client has. No log may contain it, in any encoding of a URL.
const planted = "hunter2hunter2hunter2hunter2hunter2";
const away = "127.0.0.1:1";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
});
afterAll(() => kenri.close());

const betrayed = ({ lines }: TestProcess) => lines.filter(line => line.includes("hunter2"));

/** Every setting with a secret; every server is away. */
const settings: Record<string, string> = {
  KENRI_ENV: "test",
  ENTITLEMENT_DATABASE_URL: `postgres://owner:${planted}@${away}/entitlement`,
  ENTITLEMENT_APP_DATABASE_URL: `postgres://app:${planted}@${away}/entitlement`,
  ORDERS_DATABASE_URL: `postgres://owner:${planted}@${away}/orders`,
  ORDERS_APP_DATABASE_URL: `postgres://app:${planted}@${away}/orders`,
  NATS_URL: `nats://kenri:${planted}@${away}`,
  REDIS_URL: `redis://:${planted}@${away}`,
  EVENT_SIGNING_KEYS: `k1:${planted}`,
  GATEWAY_SECRET: planted,
  GATEWAY_SECRET_PREVIOUS: `${planted}before`,
  OIDC_ISSUER: `http://${away}`,
  OIDC_CLIENT_ID: "kenri",
  OIDC_CLIENT_SECRET: planted,
  BROKER_URL: `http://${away}`,
  BROKER_TOKEN: planted,
  GATEWAY_JWKS_URL: `${nowhere}/jwks.json`,
  ...serviceUrls(() => nowhere),
  ENTITLEMENT_PORT: "0",
  ORDERS_PORT: "0",
  GATEWAY_PORT: "0",
  HEALTH_PORT: "0",
  LOG_LEVEL: "debug",
};

describe("no log has a secret:", () => {
  test("of requests, whatever part of them it is in", async () => {
    const api = await kenri.start("entitlement:api", { LOG_LEVEL: "debug" });
    const [name, id] = kenri.key.split("_");
    const key = `${name}_${id}_${planted}`;
    const headers = {
      authorization: `Bearer ${key}`,
      cookie: `__Host-kenri=${planted}`,
      "idempotency-key": planted,
      "x-request-id": key,
      "x-api-key": planted,
      "content-type": "application/json",
    };
    const valid = { ...headers, authorization: `Bearer ${kenri.key}` };
    const grant = (body: unknown) => ({ method: "POST", headers: valid, body: JSON.stringify(body) });
    const path = "/v1/entitlements/grants";
    const asked = await Promise.all([
      kenri.call("entitlement", path, { ...grant({}), headers }),
      kenri.call("entitlement", path, grant({ user_id: "u", stock_keeping_unit: "i", reason: "PURCHASE", purchase_id: planted })),
      kenri.call("entitlement", path, grant({ user_id: planted, [planted]: planted })),
      kenri.call("entitlement", path, { ...grant({}), body: `{"broken": "${planted}` }),
      kenri.call("entitlement", `/v1/users/${planted}/entitlements?key=${planted}`, { headers }),
      kenri.call("entitlement", `/nothing/${planted}?token=${planted}`, { headers }),
      kenri.call("entitlement", `/ops/outbox/${planted}/requeue`, grant({ reason: planted })),
    ]);
    expect(asked.map(({ status }) => status)).toEqual([401, 200, 400, 400, 401, 404, 400]);
    expect(asked.map(answer => answer.headers.get("x-request-id")).join()).not.toContain("hunter2");
    await until("all are logged", 10_000, () => api.lines.filter(line => line.includes("http.request")).length >= asked.length);
    expect(betrayed(api)).toEqual([]);
    expect(api.lines.join()).not.toContain(kenri.key);
  });

  test("of settings, while every server is away, in requests meanwhile, and at the stop", async () => {
    const everything = startProcess("entitlement:api entitlement:relay orders:api orders:sender gateway:api", settings);
    for (const kind of ["store.waiting", "broker.unreachable", "broker.disconnected", "redis.disconnected"]) await everything.logged(kind);
    const listens = (line: string) => line.includes("http.listening") && line.includes("gateway:api");
    await until("the gateway listens", 20_000, () => everything.lines.some(listens));
    const { url } = JSON.parse(everything.lines.find(listens)!) as { url: string };
    for (const path of ["/sign-in", "/callback?code=hunter2&state=hunter2"])
      await (await fetch(`${url}${path}`, { headers: { cookie: `__Host-kenri=${planted}` }, redirect: "manual" })).arrayBuffer();
    await everything.stop();
    expect(betrayed(everything)).toEqual([]);
  });

  test("of a password that a server refuses", async () => {
    const wrong = (url: string) => Object.assign(new URL(url), { password: planted }).href;
    const { ENTITLEMENT_APP_DATABASE_URL: database = "", NATS_URL: nats = "", REDIS_URL: redis = "" } = kenri.environment;
    const refused = startProcess("entitlement:relay matchmaking:matcher", {
      ...kenri.environment,
      ENTITLEMENT_APP_DATABASE_URL: wrong(database),
      ENTITLEMENT_RELAY_NATS_URL: wrong(nats),
      REDIS_URL: wrong(redis),
    });
    await refused.logged("store.waiting");
    await refused.logged("redis.refused");
    await refused.stop();
    expect(betrayed(refused)).toEqual([]);
  });

  test("of settings with wrong values", async () => {
    const wrong = Object.entries(settings).map(([name, value]) => [name, value.includes(planted) ? `\u0001${planted}` : value]);
    const refused = startProcess("entitlement orders gateway", { ...Object.fromEntries(wrong), KENRI_ENV: "production" });
    expect(await refused.exited).toBe(1);
    await until("it says why", 5000, () => refused.lines.some(line => line.includes("EVENT_SIGNING_KEYS=(hidden)")));
    expect(betrayed(refused)).toEqual([]);
  });

  test("of a crash", async () => {
    const crash = `const { createLog } = await import("${import.meta.dir}/kernel/telemetry/log.ts");
      const log = createLog("debug", {});
      const error = Object.assign(new Error("refused"), { password: "${planted}", query: "${planted}", parameters: ["${planted}"] });
      log.error({ error, password: "${planted}", headers: { cookie: "${planted}", authorization: "${planted}" } }, "worker.error");
      log.error({ error: new Error("wrapped", { cause: error }), token: "${planted}", url: "postgres://app:${planted}@db/x" }, "worker.error");
      log.warn({ error: new Error("connect postgres://app:${planted}@db/x and redis://:${planted}@r failed") }, "store.waiting");`;
    const child = Bun.spawn([process.execPath, "-e", crash], { stdout: "pipe" });
    const text = await new Response(child.stdout).text();
    expect(text.split("\n")).toHaveLength(4);
    expect(text).not.toContain("hunter2");
  });
});
