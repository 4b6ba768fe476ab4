/** RFC 9457. A refusal is thrown as a Problem and becomes the response in one place (http.ts). */
export interface ProblemOptions {
  readonly headers?: Record<string, string>;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  readonly extra?: Record<string, unknown>;
}

const titles: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  417: "Expectation Failed",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly options?: ProblemOptions;
}

export class Problem extends Error implements Refusal {
  override readonly name = "Problem";
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly options: ProblemOptions = {},
  ) {
    super(`${code}: ${detail}`);
  }

  response(instance: string): Response {
    return new Response(problemBody(this, instance), {
      status: this.status,
      headers: { "content-type": "application/problem+json", ...this.options.headers },
    });
  }
}

/** The body of a refusal; `instance` is the requested path. */
export function problemBody({ status, code, detail, options = {} }: Refusal, instance: string): string {
  const { errors, extra } = options;
  return JSON.stringify({
    type: `urn:kenri:problem:${code.toLowerCase().replaceAll("_", "-")}`,
    title: titles[status] ?? "Error",
    status,
    detail,
    instance,
    code,
    ...(errors ? { errors } : {}),
    ...extra,
  });
}

export const badRequest = (detail: string, options?: ProblemOptions) => new Problem(400, "INVALID_REQUEST", detail, options);
export const notFound = (detail: string) => new Problem(404, "NOT_FOUND", detail);
export const unavailable = (detail: string, seconds = 1) =>
  new Problem(503, "UNAVAILABLE", detail, { headers: { "retry-after": String(seconds) } });
