import type { Failure } from "../../kernel/http/circuit.ts";
import { Problem } from "../../kernel/http/problem.ts";
import type { SystemName } from "../services.ts";

/** What a service answered. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  /** A stored response: the service did nothing now. */
  readonly replayed: boolean;
  readonly retryAfter: string | null;
}

export function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

// The gateway writes these itself. A service must not replace them, least of all the status.
const written = new Set(["type", "title", "status", "detail", "instance", "code", "errors", "__proto__"]);

/** The extension members of a problem, e.g. the `ticket_id` of ALREADY_QUEUED. */
const extensionsOf = (problem: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(problem).filter(([name]) => !written.has(name)));

/** A refusal with the service's code, detail and extension members. A response that is no problem of the service counts as a bad gateway. */
export function refusalOf(system: SystemName, { status, text, replayed, retryAfter }: Reply): Problem {
  const problem = parsed(text) ?? {};
  const { code, detail, errors } = problem;
  if (status < 400 || typeof code !== "string" || typeof detail !== "string") return unreachable(system, "bad gateway");
  return new Problem(status, code, detail, {
    ...(Array.isArray(errors) ? { errors } : {}),
    extra: extensionsOf(problem),
    headers: {
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
      ...(retryAfter === null ? {} : { "retry-after": retryAfter }),
    },
  });
}

/** Thrown for a 503 of the service itself: it runs, and its own store is away. */
export class ServiceUnavailable extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** The 503 of a service itself, with its name: a profile has several. A 503 without its code is somebody else's, e.g. a proxy's. */
export function unavailabilityOf(system: SystemName, reply: Reply): ServiceUnavailable | undefined {
  if (reply.status !== 503) return undefined;
  const { code, detail, options } = refusalOf(system, reply);
  if (code !== "UNAVAILABLE") return undefined;
  return new ServiceUnavailable(
    new Problem(503, code, `${system}: ${detail}`, { ...options, headers: { "retry-after": "1", ...options.headers } }),
  );
}

export function unreachable(system: SystemName, failure: Failure): Problem {
  const prefix = system.toUpperCase();
  const headers = { "retry-after": "1" };
  switch (failure) {
    case "timeout":
      return new Problem(504, `${prefix}_TIMEOUT`, `${system} did not answer in time; try again`, { headers });
    case "unavailable":
      return new Problem(503, "UNAVAILABLE", `${system}: it is not available now; try again`, { headers });
    case "bad gateway":
      return new Problem(502, `${prefix}_BAD_GATEWAY`, `${system} cannot be reached or failed; try again`, { headers });
  }
}
