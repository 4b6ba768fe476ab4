import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { TracingOptions } from "./tracing_options.ts";

export interface SpanExportOptions {
  readonly exporter: SpanExporter;
  readonly queue: TracingOptions["queue"];
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Sends ended spans in batches from a bounded queue. A receiver that is away costs spans and nothing else: what does not fit is dropped, and what could
 * not be sent is not kept. Both are counted. The log has one line when it begins and one when it ends.
 */
export function spanExport({ exporter, queue, log, metrics }: SpanExportOptions): SpanProcessor {
  const spans = metrics.counter("trace_spans_total", "Spans, by what became of them.", ["outcome"]);
  let waiting = 0;
  let lost = 0;

  function note(outcome: "exported" | "failed" | "dropped", count: number, why?: string): void {
    spans.inc({ outcome }, count);
    if (outcome === "exported" && lost > 0) log.info({ lost }, "trace.export_works");
    if (outcome === "exported") lost = 0;
    else {
      if (lost === 0) log.warn({ why }, "trace.export_fails");
      lost += count;
    }
  }

  const counted: SpanExporter = {
    export(batch, done) {
      waiting -= batch.length;
      exporter.export(batch, result => {
        if (result.code === 0) note("exported", batch.length);
        else note("failed", batch.length, wordOf(result.error));
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
  const processor = new BatchSpanProcessor({
    exporter: counted,
    scheduledDelayMillis: queue.delay,
    maxQueueSize: queue.size,
    maxExportBatchSize: queue.batch,
    exportTimeoutMillis: queue.exportWithin,
  });
  let hasStopped = false;
  return {
    onStart: () => {},
    onEnd(span: ReadableSpan) {
      if (hasStopped || waiting >= queue.size) return note("dropped", 1, "the queue of spans is full (OTEL_BSP_MAX_QUEUE_SIZE)");
      waiting++;
      processor.onEnd(span);
    },
    forceFlush: () => processor.forceFlush(),
    shutdown() {
      hasStopped = true;
      return processor.shutdown();
    },
  };
}

/** The status of the receiver, or the code of an error. */
const wordOf = (error: Error | undefined): string => String((error as { code?: unknown } | undefined)?.code ?? error?.message ?? "unknown");
