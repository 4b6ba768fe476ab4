import { Elysia, NotFoundError, ParseError, ValidationError } from "elysia";
import { DeadlineError } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { isAway } from "../postgres/database.ts";
import { RedisAway } from "../redis/redis.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import { requestLog, rowIdsOf } from "../telemetry/request_log.ts";
import { type Span, type SpanResult, type Tracer, traceOf } from "../telemetry/spans.ts";
import type { Trace } from "../telemetry/trace.ts";
import { isInternalPath, outside, pathOf, pathPattern } from "./custom_methods.ts";
import { badRequest, notFound, Problem, unavailable } from "./problem.ts";
import { unsupportedMeaning } from "./request_headers.ts";
import { violationOf } from "./text.ts";

export interface HttpOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tracer?: Tracer | undefined;
  readonly health: Health;
  /** Which requests are logged; see requestLog. */
  readonly logRequests?: string;
  /** Routes that are not logged, beside those of health and the API description. */
  readonly unlogged?: readonly string[];
}

interface RequestContext {
  readonly requestId: string;
  readonly trace: Trace;
  /** Undefined if traces are off or this one is not sampled. */
  readonly span: Span | undefined;
  readonly since: number;
  /** The status of a refusal; the framework does not pass it on. */
  refusedWith?: number;
  /** The caller, after authentication. */
  caller?: { readonly client_id: string } | { readonly user_id: string };
}

const contexts = new WeakMap<Request, RequestContext>();
const alwaysServed = new Set(["/livez", "/readyz", "/openapi", "/openapi.json"]);
// A client can send any method, but labels of metrics are bounded.
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
// Two ids of 200 characters at 12 percent-encoded bytes each, and a cursor.
const maxUrl = 8192;
// Enough to recognise the path; a response does not repeat a huge URL.
const maxInstance = 1000;
// It is logged, so an API key that a client sent here by mistake is not taken.
const requestIdPattern = /^(?!kenri_)[\w.:-]{1,100}$/;

/** The trace, request id and caller of a request. */
export const requestContext = (request: Request): RequestContext => contexts.get(request) ?? beginRequest(request, undefined);

function beginRequest(request: Request, tracer: Tracer | undefined): RequestContext {
  const given = request.headers.get("x-request-id");
  const { trace, span } = traceOf(tracer, request.headers.get("traceparent"));
  const requestId = given && requestIdPattern.test(given) ? given : crypto.randomUUID();
  const context = { requestId, trace, span, since: performance.now() };
  contexts.set(request, context);
  return context;
}

function isDecodable(url: string): boolean {
  if (!url.includes("%")) return true;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** Of two values one would be used silently. */
function repeatsParameter(url: string): boolean {
  const query = url.indexOf("?");
  if (query < 0) return false;
  const names = [...new URLSearchParams(url.slice(query + 1)).keys()];
  return new Set(names).size < names.length;
}

function refuse(request: Request, problem: Problem): Response {
  requestContext(request).refusedWith = problem.status;
  return problem.response(pathOf(request).slice(0, maxInstance));
}

const idsOf = (request: Request) => {
  const { requestId, trace } = requestContext(request);
  return { request_id: requestId, trace_id: trace.traceId };
};

/** An Elysia app with Kenri's HTTP rules: problem+json for every refusal, trace and request id on every response. */
export function httpApp({ log, metrics, tracer, health, logRequests = "off", unlogged = [] }: HttpOptions) {
  const logRequest = requestLog(log, logRequests);
  const isUnlogged = new Set([...alwaysServed, ...unlogged]);
  /** Requests that other programs repeat every few seconds have no span. */
  const tracerFor = (request: Request) => (tracer && !isUnlogged.has(pathOf(request)) ? tracer : undefined);
  // Otherwise a short Host shifts where the router looks for the path.
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });

  function finished(request: Request, route: string, status: number, params?: Record<string, unknown>): void {
    const { since, caller, span } = requestContext(request);
    const took = performance.now() - since;
    const { method } = request;
    span?.end(resultOf(method, route, status, params));
    metrics.httpSeconds.observe({ method: methods.has(method) ? method : "other", route, status: String(status) }, took / 1000);
    if (isUnlogged.has(route)) return;
    logRequest({ method, route, status, duration_ms: Math.round(took * 10) / 10, ...idsOf(request), ...rowIdsOf(params), ...caller });
  }

  /** Checks that need neither the caller nor the body. */
  function refusedUnread(request: Request): Problem | undefined {
    // Two header lines arrive as one. Of two hosts one would be used silently, and a proxy may have used the other.
    if (request.headers.get("host")?.includes(",")) return badRequest("the request has more than one Host; send one");
    if (!URL.canParse(request.url)) return badRequest("the request has no valid Host");
    if (health.state === "starting" && !alwaysServed.has(pathOf(request)))
      return unavailable(`the service is starting and waits for ${health.waitingFor}`);
    if (request.url.length > maxUrl) return new Problem(414, "URI_TOO_LONG", `a URL may have at most ${maxUrl} characters`);
    if (!isDecodable(request.url)) return badRequest("the URL holds a broken percent-encoding");
    if (isInternalPath(request)) return unmatched(app, request);
    if (repeatsParameter(request.url)) return badRequest("the query string names a parameter twice");
    return unsupportedMeaning(request);
  }

  return app
    .onRequest(({ request, set }) => {
      const { requestId, trace } = beginRequest(request, tracerFor(request));
      set.headers["x-request-id"] = requestId;
      set.headers.traceparent = trace.traceparent;
      set.headers["x-content-type-options"] = "nosniff";
      set.headers["cache-control"] = "no-store";
      if (health.state === "stopping") set.headers.connection = "close";
      const problem = refusedUnread(request);
      if (!problem) return undefined;
      // The framework calls no later hooks after a response from here.
      finished(request, patternFor(app, request), problem.status);
      return refuse(request, problem);
    })
    .onError(({ error: thrown, request }) => {
      // Errors of parse hooks come wrapped. Ours authenticates the caller before it reads the body.
      const error = thrown instanceof ParseError ? thrown.cause : thrown;
      const problem = error instanceof NotFoundError ? unmatched(app, request) : problemOf(error);
      if (problem.status === 500) {
        const route = patternFor(app, request);
        repeatsOf(log).write("error", { error, route, ...idsOf(request) }, "http.failed", { key: route, burst: rowBurst });
      }
      return refuse(request, problem);
    })
    .onAfterResponse(({ request, route, params, set, response }) => {
      const { refusedWith } = requestContext(request);
      const status = refusedWith ?? (response instanceof Response ? response.status : Number(set.status ?? 200));
      finished(request, route ? outside(route) : unmatchedRoute, status, params);
    })
    .as("global");
}

/** What the span of a request says. No path and no query: they may hold anything. */
const resultOf = (method: string, route: string, status: number, params?: Record<string, unknown>): SpanResult => ({
  name: `${methods.has(method) ? method : "HTTP"} ${route}`,
  attributes: {
    "http.request.method": methods.has(method) ? method : "_OTHER",
    "http.route": route,
    "http.response.status_code": status,
    ...rowIdsOf(params),
  },
  error: status >= 500 ? String(status) : undefined,
});

// What users call. Operators' routes are many, and no objective counts them at the services.
const failures = ["500", "502", "503", "504"];
const operatorPath = /^\/(ops|debug)\//;

/**
 * Starts the failures of every route at 0. A counter that begins with its first failure would hide it: `rate()` and `increase()` see only what comes after
 * the first value.
 */
export function startFailuresAtZero({ routes }: Routes, { httpSeconds }: Metrics): void {
  for (const { path, method } of routes) {
    const route = outside(path);
    if (!methods.has(method) || alwaysServed.has(route) || operatorPath.test(route)) continue;
    for (const status of failures) httpSeconds.zero({ method, route, status });
  }
}

/** The refusal for an error. An unexpected error is a 500 without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ValidationError) return invalid(error);
  if (isAway(error) || error instanceof DeadlineError) return unavailable("the database is away or busy; try again");
  if (error instanceof RedisAway) return unavailable("Redis is away or busy; try again");
  return new Problem(500, "INTERNAL", "an unexpected error; the logs have it under the trace id of this response");
}

function invalid(error: ValidationError): Problem {
  const errors = error.all.flatMap(one => {
    if (!("path" in one)) return [];
    const format = (one as { schema?: { format?: string } }).schema?.format;
    const detail =
      (format && violationOf(format, (one as { value?: unknown }).value)) ||
      ("message" in one && one.message ? String(one.message).toLowerCase() : "is not valid");
    return [{ pointer: one.path, detail }];
  });
  const unique = [...new Map(errors.map(one => [`${one.pointer} ${one.detail}`, one])).values()].slice(0, 20);
  const where =
    error.type === "body" ? "the body" : error.type === "query" ? "the query string" : error.type === "params" ? "the path" : "the request";
  return badRequest(
    `${where} is not valid: ${unique.map(one => `${one.pointer || "/"} ${one.detail}`).join("; ") || "see the API description"}`,
    { errors: unique },
  );
}

type Routes = { readonly routes: readonly { readonly path: string; readonly method: string }[] };

const unmatchedRoute = "unmatched";

/** The pattern of the route that a request is for. */
function patternFor({ routes }: Routes, request: Request): string {
  const path = pathOf(request);
  const route = routes.find(({ path: pattern, method }) => method === request.method && pathPattern(pattern).test(path));
  return route ? outside(route.path) : unmatchedRoute;
}

/** 405 with the methods that the path takes, or 404. */
function unmatched(app: Routes, request: Request): Problem {
  const path = pathOf(request);
  const matching = app.routes.filter(route => pathPattern(route.path).test(path));
  // The narrowest routes: a wildcard counts only if nothing narrower matches.
  const narrow = matching.filter(route => !route.path.endsWith("*"));
  const longest = Math.max(...matching.map(route => route.path.length));
  const allowed = (narrow.length > 0 ? narrow : matching.filter(route => route.path.length === longest)).map(route => route.method);
  if (allowed.length === 0 || allowed.includes(request.method)) return notFound("there is nothing at this path; see /openapi");
  const allow = [...new Set(allowed.flatMap(method => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(", ");
  return new Problem(405, "METHOD_NOT_ALLOWED", `this path takes ${allow}`, { headers: { allow } });
}
