import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../stack/wait.ts";
import { rolesOf, workersOf } from "./kernel/system/system.ts";
import { systems } from "./systems.ts";
import { signedIn } from "./testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "./testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri } from "./testing/kenri.ts";
import { aJoin, queuePath } from "./testing/matchmaking_scene.ts";
import { anyOrder } from "./testing/order_rows.ts";
import { otlpReceiver, type ReceivedSpan } from "./testing/otlp_receiver.ts";
import { type TestPaperBroker, testPaperBroker } from "./testing/paper_broker.ts";
import { checkMetrics, withSamples } from "./testing/promtool.ts";

/** What runs with metrics of its own, and the threads that these metrics are of. */
interface Running {
  readonly what: string;
  readonly role: string;
  readonly threads: readonly string[];
}
const whole: Running[] = systems.map(system => {
  const role = `${system.name}:api`;
  return { what: system.name, role, threads: [role, ...workersOf(system)] };
});
const single: Running[] = systems
  .flatMap(rolesOf)
  .filter(role => !role.endsWith(":migrate"))
  .map(role => ({ what: role, role, threads: [role] }));

/** Samples that the traffic leaves. */
const counted = [
  "kenri_changes_total{",
  "kenri_outbox_events_total{",
  "kenri_intake_events_total{",
  "kenri_notifications_total{",
  "kenri_outbox_sent_total 1\n",
  "kenri_inbox_hints_total{",
  'kenri_matchmaking_matches_total{mode="casual"} 1\n',
  'kenri_match_announced_total{mode="casual"} 1\n',
  "kenri_gateway_call_seconds_count{",
  'kenri_trace_spans_total{outcome="exported"}',
];

const receiver = otlpReceiver();
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: "100" };
afterAll(() => receiver.close());

describe.each([
  ["systems with their workers as threads", whole],
  ["single roles", single],
])("the metrics of %s", (_, running) => {
  let broker: TestPaperBroker;
  let kenri: TestKenri;
  let texts: ReadonlyMap<string, string>;
  beforeAll(async () => {
    broker = await testPaperBroker();
    kenri = await testKenri({ ...traced, BROKER_URL: broker.url, NOTIFICATION_CHANNEL: "stream" });
    const place = await gatewayPlace();
    const behind = running.filter(({ role }) => role !== "gateway:api").map(({ what }) => what);
    const services = await kenri.start(behind.join(" "), place.forServices);
    const gateway = await startGateway(kenri, place, {}, running === whole ? "gateway" : "gateway:api");
    await makeTraffic(kenri, gateway);
    await until("the metrics are of all threads and of the traffic", 20_000, async () => {
      texts = await read(running, services, gateway.process);
      const all = [...texts.values()].join("\n");
      return running.every(one => hasThreads(one, texts)) && counted.every(sample => all.includes(sample));
    });
  });
  afterAll(async () => {
    await kenri?.close();
    await broker?.stop();
  });

  test.each(running.map(({ what, role }) => [what, role]))("of %s follow the rules of Prometheus", async (_, role) => {
    expect(await checkMetrics(texts.get(role)!)).toEqual({ code: 0, output: "" });
    expect(await checkMetrics(withSamples(texts.get(role)!))).toEqual({ code: 0, output: "" });
  });

  test("begin at 0 for what has not happened, so that a rate sees the first failure", () => {
    const all = [...texts.values()].join("\n");
    expect(all).toContain('kenri_notifications_total{outcome="failed"} 0\n');
    expect(all).toContain('kenri_matchmaking_time_to_match_seconds_count{mode="rank"} 0\n');
    expect(all).toContain('kenri_http_request_seconds_count{method="POST",route="/v1/entitlements/grants",status="503"} 0\n');
  });

  test("count spans, of the gateway's calls in the traces of its requests", async () => {
    const ofGateway = () => receiver.spans.filter(({ role }) => role === "gateway:api");
    const served = () => receiver.spans.filter(({ kind, service }) => kind === "server" && service !== "kenri-gateway");
    const isChild = ({ traceId, parentId }: ReceivedSpan) =>
      ofGateway().some(span => span.kind === "client" && span.traceId === traceId && span.spanId === parentId);
    await until("a service has a span under one of the gateway", 10_000, () => served().some(isChild));
    const calls = ofGateway().filter(({ kind }) => kind === "client");
    expect(calls.map(({ name }) => name)).toEqual(expect.arrayContaining(["redis limit", "redis session_read", "POST matchmaking"]));
    expect(calls.filter(({ parentId }) => parentId === "")).toEqual([]);
  });

  test("tell the versions of Kenri and Bun", async () => {
    const { version } = await Bun.file(new URL("../package.json", import.meta.url)).json();
    for (const text of texts.values()) expect(text).toContain(`kenri_build_info{version="${version}",bun="${Bun.version}"} 1\n`);
  });
});

/** A grant, an order, and a match of two players who signed in. */
async function makeTraffic(kenri: TestKenri, gateway: TestGateway): Promise<void> {
  const players = await Promise.all([signedIn(gateway, "alice"), signedIn(gateway, "bob")]);
  const headers = { "content-type": "application/json", "idempotency-key": "one" };
  const answers = await Promise.all([
    kenri.grant("carla", "item"),
    kenri.call("orders", "/do/order", { method: "POST", headers, body: JSON.stringify(anyOrder) }),
    ...players.map(player => player.send(gateway.url, "POST", queuePath, { ...aJoin, attributes: {} })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 202, 200, 200]);
}

async function read(running: readonly Running[], services: TestProcess, gateway: TestProcess): Promise<Map<string, string>> {
  const textOf = async (role: string) => {
    const process = role === "gateway:api" ? gateway : services;
    return (await fetch(`${await process.healthUrl(role)}/metrics`)).text();
  };
  return new Map(await Promise.all(running.map(async ({ role }) => [role, await textOf(role)] as const)));
}

const hasThreads = ({ role, threads }: Running, texts: ReadonlyMap<string, string>) =>
  threads.every(thread => texts.get(role)!.includes(`kenri_event_loop_lag_seconds{thread="${thread}"}`));

describe("the check notices", () => {
  test.each([
    ["a counter without _total", "# HELP kenri_sent Sent.\n# TYPE kenri_sent counter\nkenri_sent 1\n", "_total"],
    ["milliseconds", "# HELP kenri_wait_ms Wait.\n# TYPE kenri_wait_ms gauge\nkenri_wait_ms 1\n", "abbreviated units"],
    ["a metric without a help text", "# TYPE kenri_depth gauge\nkenri_depth 1\n", "no help text"],
    ["a text that is not in the format", "kenri_depth one\n", "error while linting"],
  ])("%s", async (_, text, complaint) => {
    const { code, output } = await checkMetrics(text);
    expect(output).toContain(complaint);
    expect(code).not.toBe(0);
  });

  test("the name of a metric without a sample", async () => {
    const texts = ["gauge", "histogram"].map(type => `# HELP kenri_wait_total Wait.\n# TYPE kenri_wait_total ${type}\n`);
    for (const text of texts) {
      expect((await checkMetrics(text)).output).toBe("");
      expect((await checkMetrics(withSamples(text))).output).toContain("should not have");
    }
  });
});
