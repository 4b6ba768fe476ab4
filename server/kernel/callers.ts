import type { Authenticate, Caller, Scope } from "./auth.ts";

const callers = new WeakMap<Request, Caller>();

/** Route option: the caller must hold the scope. Asked before the body is read or the input judged, so that a stranger learns nothing. */
export const requires = (authenticate: Authenticate, readBody: (request: Request) => Promise<unknown>) => (scope: Scope) => {
  const admit = async ({ request }: { request: Request }) => {
    if (!callers.has(request)) callers.set(request, await authenticate(request, scope));
  };
  const parse = async ({ request }: { request: Request }) => {
    await admit({ request });
    return readBody(request);
  };
  // "json" never gets its turn: it tells the API's description what the body is.
  return { parse: [parse, "json" as const], transform: admit };
};

export type Requires = ReturnType<typeof requires>;

export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (!caller) throw new Error("a route that asks for its caller must require a scope");
  return caller;
}
