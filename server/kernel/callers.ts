import type { Authenticate, Caller, Scope } from "./auth.ts";

const callers = new WeakMap<Request, Caller>();

/** Route option: the caller must hold the scope. Runs before the input is judged, so that a stranger learns nothing. */
export const requires = (authenticate: Authenticate) => (scope: Scope) => ({
  transform: async ({ request }: { request: Request }) => void callers.set(request, await authenticate(request, scope)),
});

export type Requires = ReturnType<typeof requires>;

export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error("a route that asks for its caller must require a scope");
  return caller;
}
