import { Elysia, NotFoundError } from "elysia";
import type { Role } from "../../kernel/http/tokens.ts";
import type { Downstream, SystemName } from "../calls/downstream.ts";
import { guestOf, type SessionGuard } from "../edge/session_guard.ts";

/** Who may open the console at all. What they may do there, the services say. */
export const consoleRoles: readonly Role[] = ["VIEWER", "OPERATOR", "ADMIN"];
const systems: readonly SystemName[] = ["entitlement", "notification", "account"];
// One by one: the router prefers the console's pages, which are a GET, to a route for all methods.
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
// More than a service takes. One that is longer is cut to this and is refused there in its own words; whole, beside our token, it would be more
// header than a service reads at all.
const longestKey = 1000;

/** The services' own operator API, for people: `/admin/api/entitlement/…` is entitlement's `/ops/…`. */
export function operatorRoutes(services: Downstream, entrance: SessionGuard) {
  const app = new Elysia({ normalize: false });
  for (const [system, method] of systems.flatMap(system => methods.map(method => [system, method] as const)))
    app.route(
      method,
      `/admin/api/${system}/*`,
      async ({ request, body }) => {
        const path = operatorPath(request.url, system);
        const { errand } = guestOf(request);
        const idempotencyKey = request.headers.get("idempotency-key")?.slice(0, longestKey);
        const anew = request.headers.get("cache-control") === "no-cache";
        const given = { method, body: body ?? undefined, idempotencyKey, anew };
        const { status, text, replayed } = await services.pass(system, path, errand, given);
        return new Response(text, {
          status,
          headers: { "content-type": "application/json", ...(replayed ? { "idempotency-replayed": "true" } : {}) },
        });
      },
      { ...entrance.signedIn(consoleRoles), detail: { hide: true } },
    );
  return app;
}

/** Dots in a path lead nowhere but into the operator API. */
function operatorPath(url: string, system: SystemName): string {
  const { pathname, search } = new URL(url);
  const before = `/admin/api/${system}/`;
  if (!pathname.startsWith(before)) throw new NotFoundError();
  const target = new URL(`/ops/${pathname.slice(before.length)}`, "http://kenri.internal").pathname;
  if (!target.startsWith("/ops/")) throw new NotFoundError();
  return `${target}${search}`;
}
