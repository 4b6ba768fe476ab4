import type { Admission, Authenticate, Caller, Scope } from "./auth.ts";
import { requestContext } from "./http.ts";
import type { Role } from "./tokens.ts";

const callers = new WeakMap<Request, Caller>();

/** The roles that allow people what a scope allows keys. */
const rolesFor: Readonly<Record<string, readonly Role[]>> = {
  "ops:read": ["VIEWER", "OPERATOR", "ADMIN"],
  "ops:write": ["OPERATOR", "ADMIN"],
};

const admissionOf = (wanted: Scope | Admission): Admission =>
  typeof wanted === "string" ? { scope: wanted, roles: rolesFor[wanted] ?? [] } : wanted;

interface HookContext {
  readonly request: Request;
  readonly params?: Record<string, unknown>;
}

/** Waits until a request of a known caller may run, or throws a refusal. The body has arrived by then. */
export type AwaitTurn = (request: Request, caller: Caller) => Promise<void>;

/** Route options that authenticate the caller before the body is read or the input is validated, so that an unknown caller learns nothing. */
export const requires =
  (authenticate: Authenticate, readBody: (request: Request) => Promise<unknown>, awaitTurn?: AwaitTurn) => (wanted: Scope | Admission) => {
    const admission = admissionOf(wanted);
    const admit = async ({ request, params }: HookContext) => {
      if (callers.has(request)) return;
      const userId = params?.user_id;
      const caller = await authenticate(request, admission, typeof userId === "string" ? userId : undefined);
      callers.set(request, caller);
      requestContext(request).caller = caller.person ? { user_id: caller.person.userId } : { client_id: caller.clientId };
    };
    const parse = async (hook: HookContext) => {
      await admit(hook);
      return readBody(hook.request);
    };
    // "json" never runs: it is for the API description.
    const enter = async (hook: HookContext) => {
      await admit(hook);
      await awaitTurn?.(hook.request, callerOf(hook.request));
    };
    return { parse: [parse, "json" as const], transform: enter };
  };

export type Requires = ReturnType<typeof requires>;

/** Whether the caller of a request was authenticated and allowed. */
export const isAdmitted = (request: Request): boolean => callers.has(request);

export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error("callerOf is only for routes with requires");
  return caller;
}
