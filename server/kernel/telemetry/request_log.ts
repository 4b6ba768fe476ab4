import { batchedLog, type Log } from "./log.ts";
import { repeatsOf, rowBurst } from "./repeats.ts";

/** The logged parts of a request. No path, query, header or body: they may contain anything. Ids of rows are UUIDs. */
export interface RequestEntry {
  readonly method: string;
  /** The route's pattern such as `/v1/users/:user_id`. */
  readonly route: string;
  readonly status: number;
  readonly duration_ms: number;
  readonly request_id: string;
  readonly trace_id: string;
  readonly client_id?: string;
  readonly user_id?: string;
  readonly [rowId: `${string}_id`]: string | undefined;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The rows in a path, such as `event_id`, so that actions on a row are found by its id. `user_id` is the caller's, so the path's is left out. */
export const rowIdsOf = (params: Readonly<Record<string, unknown>> | undefined): Record<`${string}_id`, string> =>
  Object.fromEntries(
    Object.entries(params ?? {}).filter(([name, value]) => name !== "user_id" && typeof value === "string" && uuidPattern.test(value)),
  ) as Record<`${string}_id`, string>;

/** `all`, `errors` (status 400 and above), `off`, or errors and a share of the others, such as 0.01. */
export const logRequestsPattern = "^(all|errors|off|0\\.\\d{1,6})$";

/**
 * Logs one line a request. The trace id decides about a share, so that all services log the same requests. Unless all are logged, an outage must not
 * write more than normal work does: then failures of a route (status 500 and above) are summed up after the first ones.
 */
export function requestLog(log: Log, which: string): (entry: RequestEntry) => void {
  if (which === "off") return () => {};
  const share = which === "all" ? 1 : which === "errors" ? 0 : Number(which);
  const batched = batchedLog(log);
  const repeats = repeatsOf(log);
  return entry => {
    if (entry.status < 400 && placeOf(entry.trace_id) >= share) return;
    if (entry.status < 500 || share === 1) batched.info(entry, "http.request");
    else repeats.write("info", { ...entry }, "http.request", { key: `${entry.route} ${entry.status}`, burst: rowBurst });
  };
}

/** A number from 0 to 1 for a trace id. Its last digits are random in every version of the format. */
const placeOf = (traceId: string) => Number.parseInt(traceId.slice(-8), 16) / 0x1_0000_0000;
