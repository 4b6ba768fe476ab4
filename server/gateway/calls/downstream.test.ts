import { afterEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { downstream } from "./downstream.ts";
import type { Mint } from "./mint.ts";

let service: Bun.Server<undefined> | undefined;
afterEach(() => service?.stop(true));

test("a call of a sampled trace has a span, whose context the service gets; another trace goes on without one", async () => {
  const started: unknown[] = [];
  const ended: unknown[] = [];
  const tracer = {
    start(name: string, parent: string, options: object) {
      started.push([name, parent, options]);
      return parent.endsWith("01") ? { traceparent: ofSpan, end: (result: object) => ended.push(result) } : undefined;
    },
  } as unknown as Tracer;
  const [trace, ofSpan] = [
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-1111111111111111-01",
  ];
  const got: (string | null)[] = [];
  const answering = { status: 200 };
  service = Bun.serve({
    port: 0,
    fetch(request) {
      got.push(request.headers.get("traceparent"));
      return Response.json({ fine: true }, { status: answering.status });
    },
  });
  const url = `http://127.0.0.1:${service.port}`;
  const services = downstream({
    urls: { account: url, entitlement: url, matchmaking: url, notification: url },
    mint: { token: async () => "token" } as unknown as Mint,
    deadline: 1000,
    actionDeadline: 1000,
    perUser: { most: 8, wait: 1000 },
    log: silentLog,
    metrics: createMetrics(),
    tracer,
  });
  const person = { userId: "gateway", roles: ["GATEWAY"] };
  const call = (flags: string) =>
    services.ask("entitlement", "/ops/users/secret", { person, requestId: "r", traceparent: `${trace}-${flags}` });
  await call("01");
  await call("00");
  answering.status = 500;
  await call("01").catch(() => {});
  const expected = [
    "GET entitlement",
    `${trace}-01`,
    { kind: "client", attributes: { "http.request.method": "GET", "peer.service": "kenri-entitlement" } },
  ];
  expect(started[0]).toEqual(expected);
  expect(got.slice(0, 2)).toEqual([ofSpan, expect.stringMatching(new RegExp(`^${trace.slice(0, 36)}[0-9a-f]{16}-00$`))]);
  expect(ended[0]).toEqual({ attributes: { "http.response.status_code": 200 } });
  expect(ended.at(-1)).toEqual({ error: "bad gateway" });
  expect(JSON.stringify(started)).not.toContain("secret");
});

/** Calls to a service that answers with `status`, by a clock that the test sets. */
function scene() {
  const answering = { status: 503 };
  service = Bun.serve({ port: 0, fetch: () => Response.json({ fine: true }, { status: answering.status }) });
  const url = `http://127.0.0.1:${service.port}`;
  const logged: string[] = [];
  const write = (level: string) => (_: object, message: string) => logged.push(`${level} ${message}`);
  const log = Object.assign(Object.create(silentLog), { warn: write("warn"), debug: write("debug") });
  const clock = { now: 0 };
  const metrics = createMetrics();
  const services = downstream({
    urls: { account: url, entitlement: url, matchmaking: url, notification: url },
    mint: { token: async () => "token" } as unknown as Mint,
    deadline: 1000,
    actionDeadline: 1000,
    perUser: { most: 8, wait: 1000 },
    log,
    metrics,
    now: () => clock.now,
  });
  const context = { person: { userId: "gateway", roles: ["GATEWAY"] }, requestId: "r", traceparent: "t" };
  return {
    answering,
    clock,
    circuit: async () => (await metrics.registry.metrics()).match(/kenri_gateway_circuit_open\{service="entitlement"\} \d/)?.[0],
    /** What a call logs. */
    async call(system: "entitlement" | "notification" = "entitlement"): Promise<string[]> {
      logged.length = 0;
      await services.ask(system, "/ops/x", context).catch(() => {});
      return [...logged];
    },
  };
}

test("a service that has never answered is no warning in the first seconds, and one afterwards", async () => {
  const { call, clock } = scene();
  clock.now = 60_000; // the first call may come late
  expect(await call()).toEqual(["debug gateway.call_failed"]);
  clock.now += 9_999;
  expect(await call()).toEqual(["debug gateway.call_failed"]);
  clock.now += 1;
  expect(await call()).toEqual(["warn gateway.call_failed"]);
});

test("a service that has answered is a warning at once when it fails, whatever the others do", async () => {
  const { call, answering } = scene();
  answering.status = 200;
  expect(await call()).toEqual([]);
  answering.status = 503;
  expect(await call()).toEqual(["warn gateway.call_failed"]);
  expect(await call("notification")).toEqual(["debug gateway.call_failed"]);
});

test("a metric shows the circuit of a service: open while the service does not answer", async () => {
  const { call, circuit, answering } = scene();
  answering.status = 502;
  await until("the circuit is open", 5_000, async () => {
    await call();
    return (await circuit())?.endsWith(" 1") ?? false;
  });
  answering.status = 200;
  await until("the circuit is closed", 5_000, async () => {
    await call();
    return (await circuit())?.endsWith(" 0") ?? false;
  });
});
