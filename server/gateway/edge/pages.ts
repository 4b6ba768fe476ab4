import type { Problem } from "../../kernel/http/problem.ts";

const asText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** What our own pages may do: load from here, nothing inline, framed by nobody. */
export const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export const htmlHeaders = { "content-type": "text/html; charset=utf-8", "content-security-policy": pagePolicy };

/** A refusal for a person in a browser. */
export function errorPage({ status, code, detail, options }: Problem): Response {
  return new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kenri</title>
<link rel="stylesheet" href="/home/home.css"><main class="card"><h1>That did not work</h1><p>${asText(detail)}</p>
<p><a class="button" href="/login">Sign in again</a></p><p class="faint">${status} ${asText(code)}</p></main></html>`,
    { status, headers: { ...htmlHeaders, ...options.headers } },
  );
}
