import { Elysia, NotFoundError } from "elysia";
import type { Role } from "../../kernel/http/tokens.ts";
import type { Downstream } from "../calls/downstream.ts";
import { type SessionGuard, signedInOf } from "../edge/session_guard.ts";
import type { SystemName } from "../services.ts";

/** Roles that may open the console. The services check each action. */
export const consoleRoles: readonly Role[] = ["VIEWER", "OPERATOR", "ADMIN"];
// One route per method: the router prefers the console's pages, which are a GET, to a route for all methods.
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
// Longer than a service accepts. A longer key is cut to this, and the service refuses it. The whole key and our token could exceed the size of
// headers that a service reads.
const longestKey = 1000;

/** The services' own operator API, for people: `/admin/api/entitlement/…` is entitlement's `/ops/…`. */
export function operatorRoutes(services: Downstream, systems: readonly SystemName[], guard: SessionGuard) {
  const app = new Elysia({ normalize: false });
  for (const [system, method] of systems.flatMap(system => methods.map(method => [system, method] as const)))
    app.route(
      method,
      `/admin/api/${system}/*`,
      async ({ request, body }) => {
        const path = operatorPath(request.url, system);
        const { context } = signedInOf(request);
        const idempotencyKey = request.headers.get("idempotency-key")?.slice(0, longestKey);
        const noCache = request.headers.get("cache-control") === "no-cache";
        const given = { method, body: body ?? undefined, idempotencyKey, noCache };
        const { status, text, replayed } = await services.pass(system, path, context, given);
        return new Response(text, {
          status,
          headers: { "content-type": "application/json", ...(replayed ? { "idempotency-replayed": "true" } : {}) },
        });
      },
      { ...guard.signedIn(consoleRoles), detail: { hide: true } },
    );
  return app;
}

/** Dots in a path must not lead out of the operator API. */
function operatorPath(url: string, system: SystemName): string {
  const { pathname, search } = new URL(url);
  const before = `/admin/api/${system}/`;
  if (!pathname.startsWith(before)) throw new NotFoundError();
  const target = new URL(`/ops/${pathname.slice(before.length)}`, "http://kenri.internal").pathname;
  if (!target.startsWith("/ops/")) throw new NotFoundError();
  return `${target}${search}`;
}
