import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Elysia, NotFoundError } from "elysia";
import { Problem } from "../../kernel/http/problem.ts";
import { errorPage, htmlHeaders } from "../edge/pages.ts";
import { sessionsAway } from "../edge/people.ts";
import type { Arrival, SessionGuard } from "../edge/session_guard.ts";
import { consoleRoles } from "./operator_routes.ts";

const built = fileURLToPath(new URL("../../../admin-ui/dist", import.meta.url));
const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
/** What the console's page loads. */
export const consoleAssets = "/admin/assets/:name";
// Their names change with their content.
const forEver = "public, max-age=31536000, immutable";

/** The operators' console as it was built, read once. Its scripts are for anybody, its page for who may open it. */
export function consoleRoutes(entrance: SessionGuard, folder = built) {
  const assets = readAssets(join(folder, "assets"));
  const index = join(folder, "index.html");
  const page = existsSync(index) ? readFileSync(index, "utf8") : undefined;

  async function open({ request, set }: Arrival): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    if (/^\/admin\/(api|assets)(\/|$)/.test(pathname)) throw new NotFoundError();
    try {
      await entrance.enter({ request, set }, consoleRoles);
      if (!page) throw new Problem(503, "CONSOLE_NOT_BUILT", "the console was not built; `bun run build` does it, then start again");
      return new Response(page, { headers: htmlHeaders });
    } catch (thrown) {
      const error = sessionsAway(thrown);
      if (!(error instanceof Problem)) throw error;
      if (error.status !== 401) return errorPage(error);
      const returnTo = encodeURIComponent(`${pathname}${search}`);
      return new Response(null, { status: 302, headers: { location: `/login?returnTo=${returnTo}` } });
    }
  }

  const hidden = { detail: { hide: true } };
  return new Elysia({ normalize: false })
    .get(
      consoleAssets,
      ({ params: { name } }) => {
        const asset = assets.get(name);
        if (!asset) throw new NotFoundError();
        return new Response(asset, { headers: { "content-type": types[extname(name)]!, "cache-control": forEver } });
      },
      { ...entrance.anybody("open"), ...hidden },
    )
    .get("/admin", open, hidden)
    .get("/admin/*", open, hidden);
}

function readAssets(folder: string): Map<string, Buffer> {
  const names = existsSync(folder) ? readdirSync(folder).filter(name => types[extname(name)]) : [];
  return new Map(names.map(name => [name, readFileSync(join(folder, name))]));
}
