import { readFileSync } from "node:fs";
import { Elysia } from "elysia";
import { htmlHeaders } from "../edge/pages.ts";
import type { SessionGuard } from "../edge/session_guard.ts";

const read = (name: string) => readFileSync(new URL(`./home/${name}`, import.meta.url), "utf8");

const files = ["home.js", "page.js", "notifications.js", "matchmaking.js", "ticket_view.js", "home.css"] as const;
const typeOf = (file: string) => (file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8");

/** Files that the start page loads. */
export const homeAssets: readonly string[] = files.map(file => `/home/${file}`);

/** The start page: the signed-in user, an opponent to find, and their notifications, live. */
export function homeRoutes(guard: SessionGuard) {
  const page = read("home.html");
  const open = { ...guard.anybody("open"), detail: { hide: true } };
  const app = new Elysia().get("/", () => new Response(page, { headers: htmlHeaders }), open);
  for (const file of files) {
    const text = read(file);
    const headers = { "content-type": typeOf(file), "cache-control": "no-cache" };
    app.get(`/home/${file}`, () => new Response(text, { headers }), open);
  }
  return app;
}
