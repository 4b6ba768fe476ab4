import type { QueryFunctionContext } from "@tanstack/react-query";
import type { System, WatchedSystem } from "../systems.ts";

/** An error response of the server: its problem details (RFC 9457). Status 0: no response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

export const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => (await request<T>(path, init)).body;

/** The response body, and whether it is a stored response. */
async function request<T>(path: string, init: RequestInit): Promise<{ body: T; isReplayed: boolean }> {
  const response = await fetch(path, { ...init, headers: { "x-kenri-csrf": "1", ...init.headers } }).catch(() => {
    throw new ApiError(0, "UNREACHABLE", "the gateway is unreachable");
  });
  if (response.status === 401) location.assign(`/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
  const isReplayed = response.headers.get("idempotency-replayed") === "true";
  if (response.status === 204) return { body: undefined as T, isReplayed };
  const body = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  if (!response.ok)
    throw new ApiError(response.status, body.code ?? "UNKNOWN", body.detail ?? `the server answered ${response.status} without a reason`);
  return { body: body as T, isReplayed };
}

export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** The context that TanStack Query passes to a query function. */
export type QueryContext = Pick<QueryFunctionContext, "signal" | "client" | "queryKey">;

/**
 * Reads from a service's operator API. Undefined parameters are left out. A periodic refresh accepts a result shared with other operators.
 * An invalidated query asks for fresh data: after an action, or on a manual refresh. Health and charts may still be 2 s old.
 */
export function get<T>(system: string, path: string, parameters: Parameters, { signal, client, queryKey }: QueryContext): Promise<T> {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const query = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
  const headers: Record<string, string> = client.getQueryState(queryKey)?.isInvalidated ? { "cache-control": "no-cache" } : {};
  return call<T>(`/admin/api/${system}/${path}${query}`, { signal, headers });
}

const jsonPost = (body: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

export const post = <T>(system: WatchedSystem, path: string, body: object): Promise<T> =>
  call<T>(`/admin/api/${system}/${path}`, jsonPost(body));

/** Repeated calls with the same request key are applied once. */
export const postOnce = <T>(system: System, path: string, body: object, key: string) =>
  request<T>(`/admin/api/${system}/${path}`, jsonPost(body, { "idempotency-key": key }));
