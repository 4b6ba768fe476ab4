import { continueTrace, isSampled, type Trace } from "./trace.ts";

/** Ids of rows, counts and words of the field. No ids of users, no payloads, no SQL, no messages of errors: all of these may hold personal data. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanResult {
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** A short word, such as a status or an outcome. The span counts as failed. */
  readonly error?: string | undefined;
}

/** One step of the work. */
export interface Span {
  /** For the rows, messages and calls that it makes: their spans become its children. */
  readonly traceparent: string;
  end(result?: SpanResult): void;
}

export interface SpanOptions {
  readonly kind?: "internal" | "server" | "client" | "producer" | "consumer" | undefined;
  /** Other spans that belong to the same work. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

/**
 * Makes spans. A role has none if traces are off, so each use is `tracer?.…`: its arguments are not even made then. Parents and links are W3C trace
 * contexts, because the work goes through rows and messages.
 */
export interface Tracer {
  /** The trace of a request, and its span if the trace is sampled. */
  request(traceparent: string | null): { readonly trace: Trace; readonly span: Span | undefined };
  /** A child of this span; undefined if its trace is not sampled. */
  start(name: string, parent: string, options?: SpanOptions): Span | undefined;
  /** A span for many traces: a trace of its own with links to the sampled ones; undefined if none of them is sampled. */
  batch(name: string, members: readonly string[], attributes?: SpanAttributes): Span | undefined;
}

/** The trace of a request: it goes on with the caller's. */
export const traceOf = (tracer: Tracer | undefined, traceparent: string | null) =>
  tracer ? tracer.request(traceparent) : { trace: continueTrace(traceparent), span: undefined };

const database = { "db.system.name": "postgresql" };

/** The spans of one statement for many traces. */
export interface BatchSpans {
  /** In the order of the members. */
  readonly spans: readonly (Span | undefined)[];
  end(result?: SpanResult, ofMember?: (index: number) => SpanResult | undefined): void;
}

/** One member of a batch: its trace, and what its span says of it. */
export interface BatchMember extends SpanOptions {
  readonly parent: string;
}

/** A statement for many traces: a span for it, and a child in each sampled trace, which links to it. Undefined if none of them is sampled. */
export function batchSpans(tracer: Tracer, name: string, members: readonly BatchMember[]): BatchSpans | undefined {
  const size = { ...database, "kenri.batch.size": members.length };
  const parents = members.map(({ parent }) => parent);
  const batch = tracer.batch(`${name}.batch`, parents, size);
  if (!batch) return undefined;
  const spans = members.map(({ parent, kind, links = [], attributes }) =>
    isSampled(parent)
      ? tracer.start(name, parent, { kind, links: [...links, batch.traceparent], attributes: { ...attributes, ...size } })
      : undefined,
  );
  return {
    spans,
    end(result, ofMember) {
      batch.end(result);
      for (const [index, span] of spans.entries()) span?.end(ofMember?.(index) ?? result);
    },
  };
}

/** A statement for the rows of these traces: a child if there is one, otherwise a span with links to all. */
export const statementSpan = (tracer: Tracer, name: string, traces: readonly string[]): Span | undefined =>
  traces.length === 1
    ? tracer.start(name, traces[0]!, { kind: "client", attributes: database })
    : tracer.batch(name, traces, { ...database, "kenri.batch.size": traces.length });

/** The word for an error in a span: its code or class. Its message may hold data. */
export const errorWord = (error: unknown): string =>
  error instanceof Error ? String((error as { code?: unknown }).code ?? error.name) : "unknown";
