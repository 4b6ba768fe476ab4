import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freePort, gatewayPlace, startGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { startProcess } from "../../testing/process.ts";

const systems = ["entitlement", "notification", "account", "gateway"] as const;
let kenri: TestKenri;
const api = new Map<string, string>();
const health = new Map<string, string>();
beforeAll(async () => {
  kenri = await testKenri({ HTTP_HOST: "0.0.0.0" });
  const place = await gatewayPlace();
  const services = await kenri.start("entitlement:api notification:api account:api", place.forServices);
  const gateway = await startGateway(kenri, place, { GATEWAY_PUBLIC_URL: place.url });
  for (const system of ["entitlement", "notification", "account"] as const) api.set(system, kenri.urlOf(system));
  api.set("gateway", gateway.url);
  for (const system of systems) health.set(system, await (system === "gateway" ? gateway.process : services).healthUrl(`${system}:api`));
});
afterAll(() => kenri.close());

describe.each(systems)("%s", system => {
  test("serves no metrics on the port of its API, not even to a client with a key", async () => {
    const asked: Record<string, string>[] = [{}, { authorization: `Bearer ${kenri.key}` }];
    for (const headers of asked) {
      const answer = await fetch(`${api.get(system)}/metrics`, { headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
      expect(await answer.text()).not.toContain("kenri_");
    }
  });

  test("reports its readiness there in one word, whatever is degraded", async () => {
    const answer = await fetch(`${api.get(system)}/readyz`);
    const said = (await answer.json()) as { status: string };
    expect([answer.status, Object.keys(said)]).toEqual([200, ["status"]]);
    expect(["ready", "degraded"]).toContain(said.status);
    expect(await (await fetch(`${api.get(system)}/livez`)).json()).toEqual({ status: "alive" });
  });

  test("serves its metrics, its readiness in detail and nothing else on its health port, which only this machine reaches", async () => {
    const at = health.get(system)!;
    expect(at).toStartWith("http://127.0.0.1:");
    const metrics = await fetch(`${at}/metrics`);
    expect([metrics.status, metrics.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4"]);
    const text = await metrics.text();
    expect(text).toContain("kenri_http_request_seconds");
    for (const other of systems.filter(one => one !== system)) expect(text).not.toContain(`"${other}:api"`);
    const ready = await fetch(`${at}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      system === "gateway" ? expect.anything() : expect.objectContaining({ database: "ok" }),
    ]);
    expect((await fetch(`${at}/livez`)).status).toBe(200);
    for (const path of ["/", "/ops/health", "/openapi", "/v1/me"]) {
      const answer = await fetch(`${at}${path}`);
      expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "application/problem+json"]);
    }
  });
});

describe("a process", () => {
  const started = (what: string, extra: Record<string, string>) => startProcess(what, { ...kenri.environment, ...extra });

  test("without a health port says what to set", async () => {
    const relay = started("entitlement:relay", { HEALTH_PORT: "" });
    expect(await relay.logged("health.no_port")).toContain(
      "no metrics and no detailed health are served; set HEALTH_PORT or ENTITLEMENT_HEALTH_PORT",
    );
    expect(await relay.stop()).toBe(0);
  });

  test("whose roles would have the same health port is refused", async () => {
    const port = String(await freePort());
    for (const [what, extra] of [
      ["entitlement notification", { HEALTH_PORT: port }],
      ["entitlement:api entitlement:relay", { ENTITLEMENT_HEALTH_PORT: port }],
    ] as const) {
      const refused = started(what, extra);
      expect(await refused.exited).toBe(1);
      await refused.stop();
      expect(refused.lines.join("\n")).toContain("would have the same health port: set <SYSTEM>_HEALTH_PORT for each system");
    }
  });

  test("cannot share the health port of another one: either would answer a scrape", async () => {
    const port = String(await freePort());
    const first = started("entitlement:relay", { HEALTH_PORT: port });
    await first.healthUrl();
    const second = started("entitlement:relay", { HEALTH_PORT: port });
    expect(await second.exited).toBe(1);
    await second.stop();
    expect(second.lines.join("\n")).toContain(port);
    expect(await first.stop()).toBe(0);
  });
});
