/**
 * Custom methods: paths such as `/things/{id}:verb`. The router reads every colon as the start of a parameter, so the verb is a segment of its
 * own inside the app, `/things/:id/~verb`. A request is rewritten before the app handles it. Outside there is only the colon, also as %3A.
 */
export const verb = <Path extends string, Name extends string>(path: Path, name: Name) => `${path}/~${name}` as const;

/** The public path of a route. */
export const outside = (path: string): string => path.replace(/\/~([\w-]+)$/, ":$1");

const source = (path: string) =>
  path
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/\*$/, ".*")
    .replace(/:\w+/g, "[^/]+");

/** Matches the public paths of a route. */
export function pathPattern(path: string): RegExp {
  const [, before = path, name] = /^(.*)\/~([\w-]+)$/.exec(path) ?? [];
  return new RegExp(name === undefined ? `^${source(path)}/?$` : `^(${source(before)})(?::|%3[aA])(${name})/?$`);
}

/** Where the path of a URL starts and ends. */
function pathRange(url: string): readonly [start: number, end: number] {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2); // without a Host there is only the path
  if (start < 0) return [url.length, url.length];
  const query = url.indexOf("?", start);
  return [start, query < 0 ? url.length : query];
}

const originalPaths = new WeakMap<Request, string>();
const internalPaths = new WeakSet<Request>();

/** The path that a request was sent to. */
export const pathOf = (request: Request): string => originalPaths.get(request) ?? (request.url.slice(...pathRange(request.url)) || "/");
/** Whether a request was sent to the internal path of a custom method. */
export const isInternalPath = (request: Request): boolean => internalPaths.has(request);

interface Route {
  readonly method: string;
  readonly path: string;
}

/** Rewrites requests for custom methods to the paths of their routes; undefined if there are no such routes. */
export function rewriteCustomMethods(all: readonly Route[]): ((request: Request) => void) | undefined {
  const routes = all
    .filter(({ path }) => path !== outside(path))
    .map(({ method, path }) => ({ method, pattern: pathPattern(path), internal: new RegExp(`^${source(path)}/?$`) }));
  if (routes.length === 0) return undefined;

  return request => {
    const { url, method } = request;
    if (url.startsWith("/")) return; // without a Host it is refused
    const [start, end] = pathRange(url);
    const path = url.slice(start, end);
    for (const route of routes) {
      if (route.method !== method) continue;
      if (route.internal.test(path)) internalPaths.add(request);
      const [, before, name] = route.pattern.exec(path) ?? [];
      if (name === undefined) continue;
      originalPaths.set(request, path);
      // On the same object: a new Request would have no socket address.
      Object.defineProperty(request, "url", { value: `${url.slice(0, start)}${before}/~${name}${url.slice(end)}` });
      return;
    }
  };
}
