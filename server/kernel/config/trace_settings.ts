import { samplerNames, type TracingOptions } from "../telemetry/tracing_options.ts";
import { choice, flag, httpUrl, integer, optional, pairs, type Settings, secretPairs, text, textLike } from "./config.ts";

/** Traces by OpenTelemetry, with the variables that it defines. */
export const traceSettings = {
  isDisabled: flag("OTEL_SDK_DISABLED", "true: no traces, whatever the other OTEL_ variables say", false),
  exporter: optional(
    choice(
      "OTEL_TRACES_EXPORTER",
      "otlp: traces are on, also without an endpoint (http://localhost:4318 then); none: off; on with an endpoint if not set",
      undefined,
      ["otlp", "none"],
    ),
  ),
  endpoint: optional(
    httpUrl(
      "OTEL_EXPORTER_OTLP_ENDPOINT",
      "the receiver of traces, OTLP over HTTP with JSON, e.g. http://127.0.0.1:4318; traces are off without it",
    ),
  ),
  tracesEndpoint: optional(
    httpUrl("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "the whole address for traces; by default /v1/traces of OTEL_EXPORTER_OTLP_ENDPOINT"),
  ),
  headers: optional(secretPairs("OTEL_EXPORTER_OTLP_HEADERS", "headers for the receiver, name=value separated by commas, e.g. its token")),
  serviceName: optional(text("OTEL_SERVICE_NAME", "the name of the service in traces; kenri-<system> if not set")),
  resource: optional(pairs("OTEL_RESOURCE_ATTRIBUTES", "further attributes of every span's resource, name=value separated by commas")),
  sampler: choice(
    "OTEL_TRACES_SAMPLER",
    "which traces are recorded; parentbased_… goes by the caller's flag if the request has a traceparent",
    "parentbased_always_on",
    samplerNames,
  ),
  share: textLike(
    "OTEL_TRACES_SAMPLER_ARG",
    "the share of traces that traceidratio and parentbased_traceidratio record, 0 to 1, such as 0.01",
    "1",
    "^(0|1|0?\\.\\d{1,9}|1\\.0{1,9})$",
    "a number from 0 to 1 such as 0.01",
  ),
  queue: {
    delay: integer("OTEL_BSP_SCHEDULE_DELAY", "the longest wait of a span before it is sent, in milliseconds", 5000, {
      minimum: 10,
      maximum: 60_000,
    }),
    size: integer("OTEL_BSP_MAX_QUEUE_SIZE", "the most spans that wait in a thread; further ones are dropped and counted", 2048, {
      minimum: 1,
      maximum: 1_000_000,
    }),
    batch: integer("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "the most spans in one request to the receiver", 512, {
      minimum: 1,
      maximum: 100_000,
    }),
    exportWithin: integer("OTEL_BSP_EXPORT_TIMEOUT", "the deadline of a request to the receiver, in milliseconds", 10_000, {
      minimum: 100,
      maximum: 60_000,
    }),
  },
} as const;

export type TraceSettings = Settings<typeof traceSettings>;

/** What is wrong with the settings together. */
export const traceProblems = ({ queue }: TraceSettings): string[] =>
  queue.batch > queue.size ? ["OTEL_BSP_MAX_EXPORT_BATCH_SIZE must not be above OTEL_BSP_MAX_QUEUE_SIZE: a full queue is one request"] : [];

/** Undefined if traces are off. */
export function tracingOptions(settings: TraceSettings): TracingOptions | undefined {
  const { isDisabled, exporter, tracesEndpoint, headers = {}, sampler, share, queue } = settings;
  const endpoint = settings.endpoint ?? (exporter === "otlp" ? "http://localhost:4318" : undefined);
  const url = tracesEndpoint ?? (endpoint && `${endpoint}/v1/traces`);
  if (isDisabled || exporter === "none" || !url) return undefined;
  return { url, headers, sampler, share: Number(share), queue };
}
