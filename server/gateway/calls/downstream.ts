import { Problem } from "../../kernel/http/problem.ts";
import type { Person } from "../../kernel/http/tokens.ts";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { continueTrace } from "../../kernel/telemetry/trace.ts";
import { createCircuit, type Failure } from "./circuit.ts";
import type { Mint } from "./mint.ts";
import { userCalls } from "./user_calls.ts";

export type SystemName = "account" | "entitlement" | "notification";

/** Whose request it is and how it is followed. */
export interface CallContext {
  readonly person: Person;
  readonly requestId: string;
  readonly traceparent: string;
  /** Whether nobody waits for the answer any more. */
  readonly isGone?: () => boolean;
}

export interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string | undefined;
  /** The answer must not be one that others were given a moment ago. */
  readonly anew?: boolean;
  /** It is bounded elsewhere, and takes no turn of its user. */
  readonly isCountedElsewhere?: boolean;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  /** The service gave this answer before and did nothing now. */
  readonly replayed: boolean;
  readonly retryAfter: string | null;
}

export interface DownstreamOptions {
  readonly urls: Readonly<Record<SystemName, string>>;
  readonly mint: Mint;
  readonly deadline: number;
  /** The same for what operators do: it may walk a large set. */
  readonly actionDeadline: number;
  /** How many calls of one user may be under way at once, and how long the next ones wait. */
  readonly perUser: { readonly most: number; readonly wait: number };
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Calls the services for people: with a token of its own, a deadline, one retry where it is safe, a circuit breaker a service, and at most so
 * many calls of one user at once.
 */
export function downstream({ urls, mint, deadline, actionDeadline, perUser, log, metrics }: DownstreamOptions) {
  const seconds = metrics.histogram("gateway_call_seconds", "Time of a call to a service.", ["system", "outcome"]);
  const busy = metrics.counter("gateway_user_busy_total", "Calls refused because too many of their user were under way.");
  const inTurn = userCalls({ ...perUser, refused: () => busy.inc() });
  const circuitOf = (system: SystemName) => createCircuit({ probe: () => probe(system) });
  const circuits = { account: circuitOf("account"), entitlement: circuitOf("entitlement"), notification: circuitOf("notification") };

  /** Whether a service answers what nobody's data can make slow. Anything below 500 is an answer. */
  async function probe(system: SystemName): Promise<boolean> {
    const asking = fetch(`${urls[system]}/readyz`, { redirect: "manual", signal: AbortSignal.timeout(deadline) });
    const isUp = await withTimeout(deadline + 100, system, asking).then(
      async answer => {
        await answer.body?.cancel();
        return answer.status < 500;
      },
      () => false,
    );
    log.warn({ system, is_up: isUp }, "gateway.probed");
    return isUp;
  }

  async function attempt(system: SystemName, path: string, errand: CallContext, given: Call, until: number): Promise<Reply> {
    const { method = "GET", body, idempotencyKey, anew } = given;
    const response = await fetch(`${urls[system]}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await mint.token(system, errand.person, errand.requestId)}`,
        "x-request-id": errand.requestId,
        traceparent: continueTrace(errand.traceparent).traceparent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...(anew ? { "cache-control": "no-cache" } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "error",
      signal: AbortSignal.timeout(Math.max(1, until - performance.now())),
    });
    const replayed = response.headers.get("idempotency-replayed") === "true";
    const reply = { status: response.status, text: await response.text(), replayed, retryAfter: response.headers.get("retry-after") };
    // 401 means that our token was refused: nothing the caller can mend.
    if (reply.status >= 500 || reply.status === 401) throw new Error(`${system} answered ${reply.status}`);
    return reply;
  }

  const failureOf = (error: unknown): Failure => ((error as { name?: string }).name === "TimeoutError" ? "timeout" : "bad gateway");

  async function call(system: SystemName, path: string, errand: CallContext, options: Call = {}): Promise<Reply> {
    const refused = await circuits[system].refuses();
    if (refused) throw unreachable(system, refused);
    const { person, isGone = () => false } = errand;
    // The gateway's own questions are of many users; each is asked once, however many requests wait for the answer.
    if (options.isCountedElsewhere || person.roles.includes("GATEWAY")) return attempts(system, path, errand, options);
    return inTurn(person.userId, isGone, () => attempts(system, path, errand, options));
  }

  async function attempts(system: SystemName, path: string, errand: CallContext, options: Call): Promise<Reply> {
    const circuit = circuits[system];
    const since = performance.now();
    const isSafe = (options.method ?? "GET") === "GET";
    const until = since + (!isSafe && path.startsWith("/ops/") ? actionDeadline : deadline);
    const observe = (outcome: string) => seconds.observe({ system, outcome }, (performance.now() - since) / 1000);
    for (let tried = 1; ; tried++) {
      try {
        const reply = await attempt(system, path, errand, options, until);
        circuit.worked();
        observe("ok");
        return reply;
      } catch (error) {
        const failure = failureOf(error);
        if (failure === "bad gateway" && isSafe && tried === 1 && performance.now() < until) continue;
        circuit.failed(failure);
        observe(failure);
        log.warn({ system, path: path.split("?")[0], error, request_id: errand.requestId }, "gateway.call_failed");
        throw unreachable(system, failure);
      }
    }
  }

  return {
    /** An answer as the service gave it; a refusal is thrown in its own words. */
    async pass(system: SystemName, path: string, errand: CallContext, options?: Call): Promise<Reply> {
      const reply = await call(system, path, errand, options);
      if (reply.status >= 300) throw refusalOf(system, reply);
      return reply;
    },
    /** The body of a 200; a refusal of the service is thrown in its own words. */
    async ask<T>(system: SystemName, path: string, errand: CallContext, options?: Call): Promise<T> {
      const reply = await call(system, path, errand, options);
      const body = parsed(reply.text);
      if (reply.status === 200 && body) return body as T;
      throw refusalOf(system, reply);
    },
  };
}

export type Downstream = ReturnType<typeof downstream>;

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A refusal in the service's own words; what is not its own is none. */
function refusalOf(system: SystemName, { status, text, replayed, retryAfter }: Reply): Problem {
  const { code, detail, errors } = parsed(text) ?? {};
  if (status < 400 || typeof code !== "string" || typeof detail !== "string") return unreachable(system, "bad gateway");
  return new Problem(status, code, detail, {
    ...(Array.isArray(errors) ? { errors } : {}),
    headers: {
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
      ...(retryAfter === null ? {} : { "retry-after": retryAfter }),
    },
  });
}

function unreachable(system: SystemName, failure: Failure): Problem {
  const prefix = system.toUpperCase();
  return failure === "timeout"
    ? new Problem(504, `${prefix}_TIMEOUT`, `${system} did not answer in time; try again`, { headers: { "retry-after": "1" } })
    : new Problem(502, `${prefix}_BAD_GATEWAY`, `${system} cannot be reached or failed; try again`, { headers: { "retry-after": "1" } });
}
