import type { AnyElysia } from "elysia";

/**
 * Paths such as `/things/{id}:verb`. The router takes every colon for the start of a parameter, so inside, the verb is a segment of its own,
 * and requests are led there; outside there is only the colon, also as %3A.
 */
export const verb = <Path extends string, Name extends string>(path: Path, name: Name) => `${path}/~${name}` as const;

/** A route's path as the outside writes it. */
export const outside = (path: string): string => path.replace(/\/~([\w-]+)$/, ":$1");

const source = (path: string) =>
  path
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*$/, ".*")
    .replace(/:\w+/g, "[^/]+");

/** Which paths a route takes, as the outside writes them. */
export function pathPattern(path: string): RegExp {
  const [, before = path, name] = /^(.*)\/~([\w-]+)$/.exec(path) ?? [];
  return new RegExp(name === undefined ? `^${source(path)}/?$` : `^(${source(before)})(?::|%3[aA])(${name})/?$`);
}

/** Path and query of a URL, as they were sent. */
function partsOf(url: string): { path: string; query: string } {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2); // without a Host there is only the path
  if (start < 0) return { path: "/", query: "" };
  const end = url.indexOf("?", start);
  return end < 0 ? { path: url.slice(start), query: "" } : { path: url.slice(start, end), query: url.slice(end) };
}

// What a client sends as its Host need not be one; nobody reads it.
const here = "http://kenri.internal";
const askedFor = new WeakMap<Request, string>();
const strays = new WeakSet<Request>();

/** The path that a request was sent to. */
export const pathOf = (request: Request): string => askedFor.get(request) ?? partsOf(request.url).path;
/** Whether a request was sent to a path that is there inside only. */
export const isInternalPath = (request: Request): boolean => strays.has(request);

/** Leads requests to the routes with a verb; to be called when the app has all its routes. */
export function rewriteCustomMethods(app: AnyElysia): void {
  const routes = app.routes
    .filter(({ path }) => path !== outside(path))
    .map(({ method, path }) => ({ method, pattern: pathPattern(path), inside: new RegExp(`^${source(path)}/?$`) }));
  if (routes.length === 0) return;

  function lead(request: Request): Request {
    if (request.url.startsWith("/")) return request; // without a Host it is refused
    const { path, query } = partsOf(request.url);
    for (const { pattern, inside } of routes.filter(({ method }) => method === request.method)) {
      if (inside.test(path)) strays.add(request);
      const match = pattern.exec(path);
      if (!match) continue;
      const led = new Request(`${here}${match[1]}/~${match[2]}${query}`, request);
      askedFor.set(led, path);
      return led;
    }
    return request;
  }
  app.wrap(handle => (request: Request) => handle(lead(request)));
}
