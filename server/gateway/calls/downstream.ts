import { createCircuit, type Failure } from "../../kernel/http/circuit.ts";
import type { Person } from "../../kernel/http/tokens.ts";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../../kernel/telemetry/repeats.ts";
import type { Tracer } from "../../kernel/telemetry/spans.ts";
import { continueTrace, traceIdOf } from "../../kernel/telemetry/trace.ts";
import type { SystemName } from "../services.ts";
import type { Mint } from "./mint.ts";
import { parsed, type Reply, refusalOf, ServiceUnavailable, unavailabilityOf, unreachable } from "./refusals.ts";
import { userCalls } from "./user_calls.ts";

/** The person a call is made for, and the ids that join its logs. */
export interface CallContext {
  readonly person: Person;
  readonly requestId: string;
  readonly traceparent: string;
  /** Whether the client has disconnected. */
  readonly isGone?: () => boolean;
}

export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** The result must not be one that is shared between operators. */
  readonly noCache?: boolean;
  /** The call is limited elsewhere and does not count for its user. */
  readonly skipsUserLimit?: boolean;
}

// Services may start after the gateway. For so long after the first call, a service that has never answered is no warning.
const startWithin = 10_000;

export interface DownstreamOptions {
  readonly urls: Readonly<Record<SystemName, string>>;
  readonly mint: Mint;
  readonly deadline: number;
  /** The deadline of operators' actions, which may read a large set. */
  readonly actionDeadline: number;
  /** How many calls of one user may run at once, and how long further ones wait. */
  readonly perUser: { readonly most: number; readonly wait: number };
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  readonly now?: () => number;
}

/**
 * Calls the services for people. Each call has its own token and a deadline; a safe call is retried once. Each service has a circuit breaker,
 * and each user a limit of concurrent calls.
 */
export function downstream({
  urls,
  mint,
  deadline,
  actionDeadline,
  perUser,
  log,
  metrics,
  tracer,
  now = performance.now.bind(performance),
}: DownstreamOptions) {
  const seconds = metrics.histogram("gateway_call_seconds", "Time of a call to a service.", ["service", "outcome"]);
  const busy = metrics.counter("gateway_user_busy_total", "Calls refused because too many of their user were under way.");
  const inTurn = userCalls({ ...perUser, refused: () => busy.inc() });
  const names = Object.keys(urls) as SystemName[];
  const circuitOpen = metrics.gauge("gateway_circuit_open", "1 while calls to a service are refused because it does not answer.", [
    "service",
  ]);
  const circuits = Object.fromEntries(
    names.map(system => [system, createCircuit({ probe: () => probe(system), changed: isOpen => circuitChanged(system, isOpen) })]),
  ) as Readonly<Record<SystemName, ReturnType<typeof createCircuit>>>;

  function circuitChanged(service: SystemName, isOpen: boolean): void {
    circuitOpen.set({ service }, isOpen ? 1 : 0);
    const says = `The service ${service} (${new URL(urls[service]).host}) does not answer. Its calls are refused, other services go on, and a probe a second finds out when it answers. Check its process, its health port and its URL`;
    if (isOpen) repeatsOf(log).write("warn", { service, says }, "gateway.service_away", { key: service });
    else repeatsOf(log).over("gateway.service_away", service, { service }, "gateway.service_back");
  }

  const haveAnswered = new Set<SystemName>();
  let firstCallAt: number | undefined;
  const levelOf = (system: SystemName) => {
    firstCallAt ??= now();
    return haveAnswered.has(system) || now() - firstCallAt >= startWithin ? "warn" : "debug";
  };

  /** Whether a service answers /readyz, which no user's data can make slow. Any status below 500 counts. */
  async function probe(system: SystemName): Promise<boolean> {
    const asking = fetch(`${urls[system]}/readyz`, { redirect: "manual", signal: AbortSignal.timeout(deadline) });
    const isUp = await withTimeout(deadline + 100, system, asking).then(
      async answer => {
        await answer.body?.cancel();
        return answer.status < 500;
      },
      () => false,
    );
    return isUp;
  }

  type Attempt = (system: SystemName, path: string, context: CallContext, given: Call, until: number) => Promise<Reply>;

  /** An attempt with a span. The service gets its context. */
  const traced =
    (by: Tracer): Attempt =>
    async (system, path, context, given, until) => {
      const { method = "GET" } = given;
      const attributes = { "http.request.method": method, "peer.service": `kenri-${system}` };
      const span = by.start(`${method} ${system}`, context.traceparent, { kind: "client", attributes });
      if (!span) return send(system, path, context, given, until);
      try {
        const reply = await send(system, path, context, given, until, span.traceparent);
        span.end({ attributes: { "http.response.status_code": reply.status } });
        return reply;
      } catch (error) {
        span.end({ error: failureOf(error) });
        throw error;
      }
    };
  const attempt: Attempt = tracer ? traced(tracer) : send;

  async function send(
    system: SystemName,
    path: string,
    context: CallContext,
    given: Call,
    until: number,
    traceparent = continueTrace(context.traceparent).traceparent,
  ): Promise<Reply> {
    const { method = "GET", body, idempotencyKey, noCache } = given;
    const response = await fetch(`${urls[system]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await mint.token(system, context.person, context.requestId)}`,
        "x-request-id": context.requestId,
        traceparent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(noCache ? { "cache-control": "no-cache" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(Math.max(1, until - performance.now())),
    });
    const replayed = response.headers.get("idempotency-replayed") === "true";
    const reply = { status: response.status, text: await response.text(), replayed, retryAfter: response.headers.get("retry-after") };
    const unavailable = unavailabilityOf(system, reply);
    if (unavailable) throw unavailable;
    // 401 means that the service refused our token: the caller cannot mend that.
    if (reply.status >= 500 || reply.status === 401) throw new Error(`${system} answered ${reply.status}`);
    return reply;
  }

  function failureOf(error: unknown): Failure {
    if (error instanceof ServiceUnavailable) return "unavailable";
    return (error as { name?: string }).name === "TimeoutError" ? "timeout" : "bad gateway";
  }

  async function call(system: SystemName, path: string, context: CallContext, options: Call = {}): Promise<Reply> {
    const refused = await circuits[system].refuses();
    if (refused) throw unreachable(system, refused);
    const { person, isGone = () => false } = context;
    // The gateway's own calls are for many users, and concurrent requests share them.
    if (options.skipsUserLimit || person.roles.includes("GATEWAY")) return attempts(system, path, context, options);
    return inTurn(person.userId, isGone, () => attempts(system, path, context, options));
  }

  async function attempts(system: SystemName, path: string, context: CallContext, options: Call): Promise<Reply> {
    const circuit = circuits[system];
    const since = performance.now();
    const isSafe = (options.method ?? "GET") === "GET";
    const until = since + (!isSafe && path.startsWith("/ops/") ? actionDeadline : deadline);
    const observe = (outcome: string) => seconds.observe({ service: system, outcome }, (performance.now() - since) / 1000);
    for (let tried = 1; ; tried++) {
      try {
        const reply = await attempt(system, path, context, options, until);
        circuit.worked();
        haveAnswered.add(system);
        observe("ok");
        return reply;
      } catch (error) {
        const failure = failureOf(error);
        if (isSafe && tried === 1 && hasTimeAfter(failure, performance.now() - since, until - since)) continue;
        circuit.failed(failure);
        observe(failure);
        const level = levelOf(system);
        const { requestId: request_id, traceparent } = context;
        const fields = { service: system, path: path.split("?")[0], error, request_id, trace_id: traceIdOf(traceparent) };
        repeatsOf(log).write(level, fields, "gateway.call_failed", { key: `${system} ${level}`, burst: rowBurst });
        throw error instanceof ServiceUnavailable ? error.problem : unreachable(system, failure);
      }
    }
  }

  return {
    /** The response of the service; a refusal is thrown with its code and detail. */
    async pass(system: SystemName, path: string, context: CallContext, options?: Call): Promise<Reply> {
      const reply = await call(system, path, context, options);
      if (reply.status >= 300) throw refusalOf(system, reply);
      return reply;
    },
    /** The body of a 200; a refusal is thrown with its code and detail. */
    async ask<T>(system: SystemName, path: string, context: CallContext, options?: Call): Promise<T> {
      const reply = await call(system, path, context, options);
      const body = parsed(reply.text);
      if (reply.status === 200 && body) return body as T;
      throw refusalOf(system, reply);
    },
    /** A 200 for the client as the service sent it; a refusal is thrown with its code and detail. */
    async forward(system: SystemName, path: string, context: CallContext, options?: Call): Promise<Response> {
      const reply = await call(system, path, context, options);
      if (reply.status !== 200 || !parsed(reply.text)) throw refusalOf(system, reply);
      return new Response(reply.text, {
        headers: { "content-type": "application/json", ...(reply.replayed ? { "idempotency-replayed": "true" } : {}) },
      });
    },
  };
}

/** Whether a retry may still succeed. A second 503 would take as long as the first: a client gets that one rather than a timeout. */
function hasTimeAfter(failure: Failure, took: number, deadline: number): boolean {
  if (failure === "timeout") return false;
  return took < (failure === "unavailable" ? deadline / 2 : deadline);
}

export type Downstream = ReturnType<typeof downstream>;
