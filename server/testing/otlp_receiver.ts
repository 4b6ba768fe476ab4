/** A receiver of OTLP over HTTP with JSON, for tests. */
export interface OtlpReceiver {
  readonly url: string;
  /** The spans that arrived. */
  readonly spans: readonly ReceivedSpan[];
  /** The bodies as they arrived, and the headers of each request. */
  readonly bodies: readonly string[];
  readonly headers: readonly Headers[];
  /** `hang`: requests get no answer. */
  mode: "answer" | "hang" | "refuse";
  close(): Promise<void>;
}

export interface ReceivedSpan {
  readonly service: string;
  readonly role: string;
  readonly name: string;
  readonly kind: "internal" | "server" | "client" | "producer" | "consumer";
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentId: string;
  /** `<trace>-<span>` */
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly startedAt: bigint;
  readonly endedAt: bigint;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface Body {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Sent[] }[];
  }[];
}
interface Sent {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

const kinds = ["internal", "internal", "server", "client", "producer", "consumer"] as const;
const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function spansIn({ resourceSpans }: Body): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { "service.name": service, "kenri.role": role } = valuesOf(resource.attributes) as Record<string, string>;
    return scopeSpans.flatMap(({ spans }) => spans.map(span => ({ service: service ?? "", role: role ?? "", ...spanOf(span) })));
  });
}

const spanOf = (span: Sent) => ({
  name: span.name,
  kind: kinds[span.kind]!,
  traceId: span.traceId,
  spanId: span.spanId,
  parentId: span.parentSpanId ?? "",
  links: (span.links ?? []).map(({ traceId, spanId }) => `${traceId}-${spanId}`),
  attributes: valuesOf(span.attributes),
  isError: span.status?.code === 2,
  startedAt: BigInt(span.startTimeUnixNano),
  endedAt: BigInt(span.endTimeUnixNano),
});

export function otlpReceiver(): OtlpReceiver {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const headers: Headers[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      if (receiver.mode === "hang") return new Promise<Response>(() => {});
      if (receiver.mode === "refuse") return new Response("no", { status: 403 });
      if (request.method !== "POST" || new URL(request.url).pathname !== "/v1/traces") return new Response("", { status: 404 });
      const body = await request.text();
      headers.push(request.headers);
      bodies.push(body);
      spans.push(...spansIn(JSON.parse(body) as Body));
      return Response.json({});
    },
  });
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    bodies,
    headers,
    mode: "answer",
    close: () => server.stop(true),
  };
  return receiver;
}
