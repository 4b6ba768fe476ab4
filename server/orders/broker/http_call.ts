import { replaceNul } from "../../kernel/postgres/database.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import type { OwnCode } from "./reason_codes.ts";

/** What came back from a call. */
export type Reply =
  /** The broker answered. `body` is undefined if it is no JSON object, is too large or was cut. */
  | { readonly outcome: "answered"; readonly status: number; readonly body: Body | undefined; readonly retryAfter?: number }
  /** No connection was made, so the broker never got the request. */
  | { readonly outcome: "not_sent"; readonly code: OwnCode; readonly message: string }
  /** The broker may have got the request. */
  | { readonly outcome: "lost"; readonly code: OwnCode; readonly message: string };

/** The body of an answer. Its texts can be stored. */
export type Body = Readonly<Record<string, unknown>>;

export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Milliseconds, for the whole call with its answer. */
  readonly within: number;
  readonly giveUp?: AbortSignal;
  /** The span that the call belongs to. */
  readonly traceparent?: string | undefined;
}

/** The same with a span for each call of a sampled trace. The broker gets its context. */
export const tracedCall =
  (tracer: Tracer | undefined) =>
  async (call: HttpCall): Promise<Reply> => {
    const span = call.traceparent === undefined ? undefined : tracer?.start(call.method, call.traceparent, spanOf(call));
    if (!span) return httpCall(call);
    const reply = await httpCall({ ...call, headers: { ...call.headers, traceparent: span.traceparent } });
    const status = reply.outcome === "answered" ? reply.status : undefined;
    const error = reply.outcome === "answered" ? (reply.status >= 400 ? String(reply.status) : undefined) : reply.code;
    span.end({ attributes: { "http.response.status_code": status }, error });
    return reply;
  };

/** Without the path, which has the key of an order. */
const spanOf = ({ method, url }: HttpCall) => ({
  kind: "client" as const,
  attributes: { "http.request.method": method, "server.address": new URL(url).host },
});

const largestAnswer = 64 * 1024;

// Without one of these a request may have left. A refused connection and an unknown name end before any byte of it is written. A failed TLS handshake
// does too, but the runtime reports it by many codes, so it counts as lost.
const notSent: ReadonlyMap<string, OwnCode> = new Map([
  ["ECONNREFUSED", "CONNECTION_REFUSED"],
  ["ENOTFOUND", "UNKNOWN_HOST"],
]);

/**
 * One HTTP call: one request, never two. It never throws and ends in time. Each call has a connection of its own: a runtime that finds a kept
 * connection closed may send the request again by itself. Redirects are not followed. The answer is read up to a limit.
 */
export async function httpCall({ method, url, headers, body, within, giveUp }: HttpCall): Promise<Reply> {
  const late = AbortSignal.timeout(within);
  const signal = giveUp ? AbortSignal.any([late, giveUp]) : late;
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, connection: "close" },
      ...(body === undefined ? {} : { body }),
      keepalive: false,
      redirect: "manual",
      signal,
    });
    const retryAfter = secondsOf(response.headers.get("retry-after"), response.headers.get("date"));
    const answer = { outcome: "answered", status: response.status, body: await readBody(response) } as const;
    return retryAfter === undefined ? answer : { ...answer, retryAfter };
  } catch (error) {
    const known = notSent.get(String((error as { code?: unknown }).code));
    if (known) return { outcome: "not_sent", code: known, message: "no connection to the broker could be made" };
    if (late.aborted) return { outcome: "lost", code: "TIMEOUT", message: `the broker did not answer within ${within} ms` };
    if (signal.aborted) return { outcome: "lost", code: "GIVEN_UP", message: "the call was given up before the broker answered" };
    return { outcome: "lost", code: "CONNECTION_LOST", message: "the connection ended before the broker answered" };
  }
}

/** Rejects if the connection ends within the body. */
async function readBody(response: Response): Promise<Body | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > largestAnswer) return undefined;
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(Buffer.concat(chunks)), (_, value) =>
      typeof value === "string" ? storable(value) : value,
    );
    return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** PostgreSQL stores neither U+0000 nor lone surrogates. */
const storable = (text: string): string => replaceNul(text.toWellFormed());

/** Retry-After in seconds, as a number or a date. A date is by the broker's clock, so it is compared with the date of the answer. */
function secondsOf(header: string | null, answeredAt: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const until = dateOf(header);
  if (until === undefined) return undefined;
  return Math.max(0, Math.ceil((until - (dateOf(answeredAt ?? "") ?? Date.now())) / 1000));
}

function dateOf(header: string): number | undefined {
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
