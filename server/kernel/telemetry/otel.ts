/** Spans by the SDK of OpenTelemetry. Imported only if traces are on: without them the SDK is not even loaded. */
import * as api from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { spanExport } from "./span_export.ts";
import type { Span, SpanOptions, Tracer } from "./spans.ts";
import { continueTrace, isReadableTrace, isSampled, type Trace } from "./trace.ts";
import type { TracingOptions } from "./tracing_options.ts";

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends the spans that are left. It may hang as long as the receiver does. */
  flush(): Promise<void>;
}

/** `resource`: what the process is, by the names of OpenTelemetry. */
export function openTracing(options: TracingOptions, resource: Readonly<Record<string, string>>, log: Log, metrics: Metrics): Tracing {
  const { url, headers, queue } = options;
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: queue.exportWithin });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ ...resource }),
    sampler: samplerOf(options),
    spanProcessors: [spanExport({ exporter, queue, log, metrics })],
    // A statement has more members than the default of 128.
    spanLimits: { linkCountLimit: 1024 },
  });
  return { tracer: tracerOf(provider.getTracer("kenri"), options.sampler), flush: () => provider.shutdown() };
}

/** Marks a span that is recorded because it links to recorded ones. */
const recorded = api.createContextKey("kenri recorded");

function samplerOf({ sampler, share }: TracingOptions): Sampler {
  const root = sampler.endsWith("always_on")
    ? new AlwaysOnSampler()
    : sampler.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(share);
  const chosen = sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
  return {
    shouldSample: (context, ...span) =>
      context.getValue(recorded) ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : chosen.shouldSample(context, ...span),
    toString: () => `${chosen}`,
  };
}

const kinds = {
  internal: api.SpanKind.INTERNAL,
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  producer: api.SpanKind.PRODUCER,
  consumer: api.SpanKind.CONSUMER,
} as const;

function tracerOf(sdk: api.Tracer, sampler: TracingOptions["sampler"]): Tracer {
  // The flags of a parent decide, so an unsampled trace needs no span of the SDK.
  const goesByParent = sampler.startsWith("parentbased_");
  function start(name: string, parent: string, { kind = "internal", links = [], attributes = {} }: SpanOptions = {}): api.Span {
    const sampledLinks = links.filter(isSampledTrace).map(link => ({ context: contextOf(link, false) }));
    const isRemote = kind === "server" || kind === "consumer";
    const context = isReadableTrace(parent) ? api.trace.setSpanContext(api.ROOT_CONTEXT, contextOf(parent, isRemote)) : api.ROOT_CONTEXT;
    return sdk.startSpan(name, { kind: kinds[kind], attributes: { ...attributes }, links: sampledLinks }, context);
  }
  const isUnsampled = (parent: string) => !isSampled(parent) && isReadableTrace(parent);

  return {
    request(traceparent) {
      const parent = traceparent ?? "";
      if (goesByParent && isUnsampled(parent)) return { trace: continueTrace(parent), span: undefined };
      const span = start("request", parent, { kind: "server" });
      return { trace: traceOf(span.spanContext()), span: span.isRecording() ? wrap(span) : undefined };
    },
    start(name, parent, options) {
      // The flag is the sampler's decision about the request.
      if (isUnsampled(parent)) return undefined;
      const span = start(name, parent, options);
      return span.isRecording() ? wrap(span) : undefined;
    },
    batch(name, members, attributes = {}) {
      const links = members.filter(isSampledTrace).map(member => ({ context: contextOf(member, false) }));
      if (links.length === 0 || sampler === "always_off") return undefined;
      const context = api.ROOT_CONTEXT.setValue(recorded, true);
      return wrap(sdk.startSpan(name, { kind: api.SpanKind.CLIENT, attributes: { ...attributes }, links }, context));
    },
  };
}

const isSampledTrace = (traceparent: string) => isSampled(traceparent) && isReadableTrace(traceparent);

function contextOf(traceparent: string, isRemote: boolean): api.SpanContext {
  const [, traceId = "", spanId = ""] = traceparent.split("-");
  return { traceId, spanId, traceFlags: isSampled(traceparent) ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE, isRemote };
}

const traceOf = ({ traceId, spanId, traceFlags }: api.SpanContext): Trace => ({
  traceId,
  spanId,
  traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
});

const wrap = (span: api.Span): Span => ({
  get traceparent() {
    return traceOf(span.spanContext()).traceparent;
  },
  end({ name, attributes, error } = {}) {
    if (name !== undefined) span.updateName(name);
    if (attributes) span.setAttributes({ ...attributes });
    if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR }).setAttribute("error.type", error);
    span.end();
  },
});
