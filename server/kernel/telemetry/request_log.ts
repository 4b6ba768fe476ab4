import { batchedLog, type Log } from "./log.ts";

/** What is logged of a request: no path, no query, no header and no body, because a caller may have put anything there. Ids of rows are UUIDs. */
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

/** The rows that a path names, such as `event_id`, so that what was done to a row is found by its id. `user_id` is who asked. */
export const rowIdsOf = (params: Readonly<Record<string, unknown>> | undefined): Record<`${string}_id`, string> =>
  Object.fromEntries(
    Object.entries(params ?? {}).filter(([name, value]) => name !== "user_id" && typeof value === "string" && uuidPattern.test(value)),
  ) as Record<`${string}_id`, string>;

/** `all`, `errors` (answers of 400 and above), `off`, or a share of all others beside the errors, such as 0.01. */
export const logRequestsPattern = "^(all|errors|off|0\\.\\d{1,6})$";

/**
 * Logs one line a request. A share is chosen by the trace id, so that the gateway and the services log the same requests.
 */
export function requestLog(log: Log, which: string): (entry: RequestEntry) => void {
  if (which === "off") return () => {};
  const share = which === "all" ? 1 : which === "errors" ? 0 : Number(which);
  const batched = batchedLog(log);
  return entry => {
    if (entry.status < 400 && placeOf(entry.trace_id) >= share) return;
    batched.info(entry, "http.request");
  };
}

/** Where a trace id lies between 0 and 1; the last digits are random in every version of the format. */
const placeOf = (traceId: string) => Number.parseInt(traceId.slice(-8), 16) / 0x1_0000_0000;
