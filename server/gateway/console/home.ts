import { readFileSync } from "node:fs";
import { Elysia } from "elysia";
import { htmlHeaders } from "../edge/pages.ts";
import type { SessionGuard } from "../edge/session_guard.ts";

const read = (name: string) => readFileSync(new URL(`./home/${name}`, import.meta.url), "utf8");

/** What the start page loads. */
export const homeAssets = ["/home/home.js", "/home/home.css"] as const;

/** The start page: who is signed in and what they are told, as it comes. */
export function homeRoutes(entrance: SessionGuard) {
  const page = read("home.html");
  const [script, style] = [read("home.js"), read("home.css")];
  const open = { ...entrance.anybody("open"), detail: { hide: true } };
  const asset = (text: string, type: string) => () =>
    new Response(text, { headers: { "content-type": type, "cache-control": "no-cache" } });
  return new Elysia()
    .get("/", () => new Response(page, { headers: htmlHeaders }), open)
    .get(homeAssets[0], asset(script, "text/javascript; charset=utf-8"), open)
    .get(homeAssets[1], asset(style, "text/css; charset=utf-8"), open);
}
