import { afterEach, describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import { until } from "../../../stack/wait.ts";
import { createHealth } from "../life/health.ts";
import { type Service, service } from "../life/service.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { verb } from "./custom_methods.ts";
import { httpRole } from "./http_role.ts";

let running: Service | undefined;
afterEach(() => running?.stop());

/** A role with a dependency before the port opens and one after it, which takes as long as `opens`. */
function role({ opens = Promise.resolve(), notice = 0, shutdownWithin = 2000 } = {}) {
  const [health, metrics] = [createHealth(), createMetrics()];
  const steps: string[] = [];
  const part = (name: string, start: () => Promise<unknown> = async () => {}) =>
    service({
      async start() {
        steps.push(`start ${name}`);
        await start();
      },
      stop: async () => void steps.push(`stop ${name}`),
    });
  const http = httpRole({
    system: "things",
    port: 0,
    kernel: { host: "127.0.0.1", logRequests: "off", shutdownNotice: notice, shutdownWithin },
    context: { log: silentLog, metrics, health },
    finished: request => steps.push(`finished ${request.method}`),
  });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: isHeld, resolve: holding } = Promise.withResolvers<void>();
  const routes = new Elysia({ normalize: false })
    .get("/things/:id", ({ params }) => params)
    .get("/held", async () => {
      holding();
      await held;
      steps.push("answered");
      return "held";
    })
    .post(verb("/things/:id", "open"), async ({ request, params }) => ({
      opened: params.id,
      peer: http.peerOf(request),
      body: await request.text(),
    }));
  const { promise: isWaiting, resolve: waits } = Promise.withResolvers<void>();
  const waiting = async () => {
    health.waitingFor = "the moon";
    waits();
    await opens;
  };
  const api = http.serve({
    about: { title: "Things", description: "For tests." },
    routes: [routes],
    before: [part("before")],
    after: [part("after", waiting)],
  });
  running = api;
  const get = async (path: string) => {
    const response = await fetch(`${http.url()}${path}`);
    return { status: response.status, connection: response.headers.get("connection"), text: await response.text() };
  };
  return { api, http, health, metrics, steps, get, release, isHeld, isWaiting };
}

describe("an HTTP role without a database", () => {
  test("listens at once, says what it waits for, and accepts requests when its services have started", async () => {
    const { promise: opens, resolve: open } = Promise.withResolvers<void>();
    const { api, get, health, isWaiting } = role({ opens });
    const started = api.start();
    await isWaiting;
    expect(await get("/things/1")).toMatchObject({ status: 503, text: expect.stringContaining("the moon") });
    expect(await get("/livez")).toMatchObject({ status: 200 });
    expect(await get("/readyz")).toMatchObject({ status: 503, text: '{"status":"starting"}' });
    open();
    await started;
    expect(health.state).toBe("ready");
    expect(await get("/readyz")).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect(await get("/things/1")).toMatchObject({ status: 200, text: '{"id":"1"}' });
  });

  test("describes its routes and serves custom methods, with the peer's address and the body", async () => {
    const { api, http } = role();
    await api.start();
    const description = (await (await fetch(`${http.url()}/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(description.paths)).toContain("/things/{id}:open");
    const opened = await fetch(`${http.url()}/things/7:open`, { method: "POST", body: "a body" });
    expect(await opened.json()).toEqual({ opened: "7", peer: "127.0.0.1", body: "a body" });
  });

  test("reports the end of every request, also of a refused one", async () => {
    const { api, get, steps } = role();
    await api.start();
    await get("/things/1");
    await get("/nothing");
    expect(steps.filter(step => step === "finished GET")).toHaveLength(2);
  });

  test("starts the failures of each route at 0, so that the first one is a rise", async () => {
    const { api, metrics } = role();
    await api.start();
    const failures = (await metrics.registry.metrics()).split("\n").filter(line => line.startsWith("kenri_http_request_seconds_count"));
    expect(failures).toContain('kenri_http_request_seconds_count{method="GET",route="/things/:id",status="503"} 0');
    expect(failures.filter(line => /livez|readyz|openapi/.test(line))).toEqual([]);
  });

  test("gives notice at /readyz before it closes the port", async () => {
    const { api, get, health } = role({ notice: 300 });
    await api.start();
    const stopped = api.stop();
    await until("it stops", 5000, () => health.state === "stopping");
    expect(await get("/readyz")).toMatchObject({ status: 503, text: '{"status":"stopping"}' });
    expect(await get("/things/1")).toMatchObject({ status: 200, connection: "close" });
    await stopped;
    await expect(get("/livez")).rejects.toThrow();
  });

  test("finishes requests under way after its later services stopped and before its earlier ones stop", async () => {
    const { api, get, steps, release, isHeld } = role();
    await api.start();
    const answer = get("/held");
    await isHeld;
    const stopped = api.stop();
    await until("the later service stopped", 5000, () => steps.includes("stop after"));
    release();
    expect(await answer).toMatchObject({ status: 200, text: "held" });
    await stopped;
    expect(steps).toEqual(["start before", "start after", "stop after", "answered", "finished GET", "stop before"]);
  });

  test("stops in time although a request hangs", async () => {
    const { api, get, isHeld } = role({ shutdownWithin: 400 });
    await api.start();
    const answer = get("/held").catch(() => "cut");
    await isHeld;
    const since = performance.now();
    await api.stop();
    expect(performance.now() - since).toBeLessThan(1500);
    expect(await answer).toBe("cut");
  });

  test("closes the port when it is stopped while it starts", async () => {
    const { promise: opens, resolve: open } = Promise.withResolvers<void>();
    const { api, get, steps, isWaiting } = role({ opens });
    const started = api.start();
    await isWaiting;
    expect(await get("/readyz")).toMatchObject({ status: 503 });
    const stopped = api.stop();
    open();
    await Promise.all([started, stopped]);
    expect(steps.at(-1)).toBe("stop before");
    await expect(get("/livez")).rejects.toThrow();
  });
});
