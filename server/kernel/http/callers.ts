import type { Admission, Authenticate, Caller, Scope } from "./auth.ts";
import { visitOf } from "./http.ts";
import type { Role } from "./tokens.ts";

const callers = new WeakMap<Request, Caller>();

/** What people with a role may do where keys need a scope. */
const rolesFor: Partial<Record<Scope, readonly Role[]>> = {
  "ops:read": ["VIEWER", "OPERATOR", "ADMIN"],
  "ops:write": ["OPERATOR", "ADMIN"],
};

const admissionOf = (wanted: Scope | Admission): Admission =>
  typeof wanted === "string" ? { scope: wanted, roles: rolesFor[wanted] ?? [] } : wanted;

interface Arrival {
  readonly request: Request;
  readonly params?: Record<string, unknown>;
}

/** Holds the request of a known caller up, or refuses it; its body has arrived by then. */
export type HoldUp = (request: Request, caller: Caller) => Promise<void>;

/** Route option: who may pass. Asked before the body is read or the input judged, so that a stranger learns nothing. */
export const requires =
  (authenticate: Authenticate, readBody: (request: Request) => Promise<unknown>, holdUp?: HoldUp) => (wanted: Scope | Admission) => {
    const admission = admissionOf(wanted);
    const admit = async ({ request, params }: Arrival) => {
      if (callers.has(request)) return;
      const userId = params?.user_id;
      const caller = await authenticate(request, admission, typeof userId === "string" ? userId : undefined);
      callers.set(request, caller);
      visitOf(request).caller = caller.person ? { user_id: caller.person.userId } : { client_id: caller.clientId };
    };
    const parse = async (arrival: Arrival) => {
      await admit(arrival);
      return readBody(arrival.request);
    };
    // "json" never gets its turn: it tells the API's description what the body is.
    const enter = async (arrival: Arrival) => {
      await admit(arrival);
      await holdUp?.(arrival.request, callerOf(arrival.request));
    };
    return { parse: [parse, "json" as const], transform: enter };
  };

export type Requires = ReturnType<typeof requires>;

/** Whether it passed: what a stranger asks for never got anywhere. */
export const isAdmitted = (request: Request): boolean => callers.has(request);

export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error("a route that asks for its caller must require a scope");
  return caller;
}
