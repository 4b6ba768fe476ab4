import { afterAll, describe, expect, test } from "bun:test";
import { otlpReceiver } from "../../testing/otlp_receiver.ts";
import { silentLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { openTracing } from "./otel.ts";
import { batchSpans, statementSpan, type Tracer } from "./spans.ts";
import type { TracingOptions } from "./tracing_options.ts";

const receiver = otlpReceiver();
afterAll(() => receiver.close());

const queue = { delay: 10, size: 2048, batch: 512, exportWithin: 5000 };
const open = (options: Partial<TracingOptions> = {}) =>
  openTracing(
    { url: `${receiver.url}/v1/traces`, headers: {}, sampler: "parentbased_always_on", share: 1, queue, ...options },
    { "service.name": "test" },
    silentLog,
    createMetrics(),
  );

const hex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
const traceparent = (flags: string) => `00-${hex(16)}-${hex(8)}-${flags}`;
const traceIdOf = (text: string) => text.split("-")[1]!;
const arrived = (text: string) => receiver.spans.filter(({ traceId }) => traceId === traceIdOf(text));

describe("the flag of a trace is the decision of the sampler:", () => {
  const requestFlags = (tracer: Tracer, given: string | null) => tracer.request(given).trace.traceparent.slice(-2);
  test.each([
    ["always_on", 1, ["01", "01", "01"]],
    ["always_off", 1, ["00", "00", "00"]],
    ["traceidratio", 0, ["00", "00", "00"]],
    ["parentbased_always_on", 1, ["01", "01", "00"]],
    ["parentbased_always_off", 1, ["00", "01", "00"]],
    ["parentbased_traceidratio", 0, ["00", "01", "00"]],
    ["parentbased_traceidratio", 1, ["01", "01", "00"]],
  ] as const)("%s with %d", (sampler, share, flags) => {
    const { tracer } = open({ sampler, share });
    expect([null, traceparent("01"), traceparent("00")].map(given => requestFlags(tracer, given))).toEqual([...flags]);
  });

  test("a share of 0.1 samples about a tenth of the traces, and all spans of those", () => {
    const { tracer } = open({ sampler: "parentbased_traceidratio", share: 0.1 });
    const requests = Array.from({ length: 2000 }, () => tracer.request(null));
    const sampled = requests.filter(({ span }) => span);
    expect(sampled.length).toBeGreaterThan(100);
    expect(sampled.length).toBeLessThan(320);
    for (const { trace, span } of requests) expect(tracer.start("step", trace.traceparent) !== undefined).toBe(span !== undefined);
  });

  test("a malformed header begins a trace of its own", () => {
    const { tracer } = open();
    for (const given of ["", "nonsense", `00-${"0".repeat(32)}-${hex(8)}-01`, `ff-${hex(16)}-${hex(8)}-01`]) {
      const { trace } = tracer.request(given);
      expect(trace.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(given).not.toContain(trace.traceId);
    }
  });
});

test("a statement for 64 traces links to the sampled ones, each of which has a child that links to it", async () => {
  const { tracer, flush } = open();
  const members = Array.from({ length: 64 }, (_, n) => ({ parent: traceparent(n % 2 === 0 ? "01" : "00"), attributes: { n } }));
  const { spans, end } = batchSpans(tracer, "change", members)!;
  expect(spans.map(span => span !== undefined)).toEqual(members.map((_, n) => n % 2 === 0));
  end({}, n => ({ attributes: { ended: n }, error: n === 2 ? "refused" : undefined }));
  await flush();
  const batch = receiver.spans.find(({ name }) => name === "change.batch")!;
  expect(batch).toMatchObject({ kind: "client", parentId: "", attributes: { "kenri.batch.size": 64 } });
  const sampled = members.filter((_, n) => n % 2 === 0);
  expect(batch.links).toEqual(sampled.map(({ parent }) => parent.slice(3, -3)));
  for (const { parent, attributes } of members) {
    const [span, ...none] = arrived(parent);
    expect(none).toEqual([]);
    if (attributes.n % 2 === 1) expect(span).toBeUndefined();
    else
      expect(span).toMatchObject({
        parentId: parent.split("-")[2]!,
        links: [`${batch.traceId}-${batch.spanId}`],
        isError: attributes.n === 2,
      });
    if (span) expect(span.attributes).toMatchObject({ n: attributes.n, ended: attributes.n });
  }
});

test("a statement for one trace is a span in it; for none that is sampled it is no span", async () => {
  const { tracer, flush } = open({ sampler: "parentbased_always_off" });
  const one = traceparent("01");
  statementSpan(tracer, "settle", [one])?.end();
  expect(statementSpan(tracer, "settle", [traceparent("00"), traceparent("00")])).toBeUndefined();
  await flush();
  expect(arrived(one)).toMatchObject([{ name: "settle", parentId: one.split("-")[2]! }]);
});

test("what does not fit into the queue is dropped, and every span is counted once", async () => {
  const metrics = createMetrics();
  const { tracer, flush } = openTracing(
    { url: `${receiver.url}/v1/traces`, headers: {}, sampler: "always_on", share: 1, queue: { ...queue, size: 10, batch: 10 } },
    {},
    silentLog,
    metrics,
  );
  for (let n = 0; n < 100; n++) tracer.start("many", traceparent("01"))?.end();
  await flush();
  tracer.start("late", traceparent("01"))?.end();
  const counted = await metrics.registry.getSingleMetric("kenri_trace_spans_total")!.get();
  const by = Object.fromEntries(counted.values.map(({ labels, value }) => [labels.outcome, value]));
  expect(by.exported! + by.dropped!).toBe(101);
  expect(by.exported).toBeGreaterThanOrEqual(10);
  expect(receiver.spans.filter(({ name }) => name === "many")).toHaveLength(by.exported!);
});
