import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { AnyElysia } from "elysia";
import { outside } from "./verbs.ts";

type Scheme = Readonly<Record<string, Readonly<Record<string, string>>>>;

const apiKeys: Scheme = {
  apiKey: { type: "http", scheme: "bearer", description: "an API key, kenri_<id>_<secret>, or a token of the gateway" },
};

/** The OpenAPI 3.1 description of an app's routes, at /openapi.json; what a person reads of it is at /openapi, without a script. */
export function openapiRoutes(app: AnyElysia, info: { title: string; description: string }, scheme: Scheme = apiKeys) {
  let document: Record<string, unknown> | undefined;
  const describe = () => {
    if (document) return document;
    const { components, paths, ...rest } = toOpenAPISchema(app, undefined, undefined, undefined, "3.1.0" as never);
    document = {
      openapi: "3.1.0",
      info: { ...info, version: "1" },
      paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [outside(path), methods])),
      ...rest,
      components: { ...components, securitySchemes: scheme },
      security: Object.keys(scheme).map(name => ({ [name]: [] })),
    };
    return document;
  };
  const hidden = { detail: { hide: true } };
  return app
    .get("/openapi.json", () => Response.json(describe()), hidden)
    .get(
      "/openapi",
      () =>
        new Response(page(describe() as unknown as Document), {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
          },
        }),
      hidden,
    );
}

interface Operation {
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: { description?: string } }[];
  requestBody?: { content: Record<string, { schema: { properties?: Record<string, { description?: string }> } }> };
}

interface Document {
  info: { title: string; description: string };
  paths: Record<string, Record<string, Operation>>;
}

const asText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}code{font-family:ui-monospace,monospace}
h2{font-size:1rem;border-top:1px solid #8884;padding-top:1rem}table{border-collapse:collapse}td{padding:.1rem 1rem .1rem 0;vertical-align:top}`;
const styleHash = new Bun.CryptoHasher("sha256").update(style).digest("base64");

function page({ info, paths }: Document): string {
  const sections = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => section(method, path, operation)),
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${asText(info.title)}</title>
<style>${style}</style>
<h1>${asText(info.title)}</h1><p>${asText(info.description)}</p><p>Machine-readable: <a href="/openapi.json">/openapi.json</a></p>${sections.join("")}</html>`;
}

function section(method: string, path: string, { summary, description, parameters = [], requestBody }: Operation): string {
  const fields = Object.entries(Object.values(requestBody?.content ?? {})[0]?.schema.properties ?? {});
  const rows = [
    ...parameters.map(one => [one.name, `${one.in}${one.required ? ", required" : ""}`, one.schema?.description ?? ""]),
    ...fields.map(([name, schema]) => [name, "body", schema.description ?? ""]),
  ];
  const table = rows
    .map(cells => `<tr>${cells.map((cell, i) => `<td>${i === 0 ? `<code>${asText(cell!)}</code>` : asText(cell!)}</td>`).join("")}</tr>`)
    .join("");
  return `<h2><code>${method.toUpperCase()} ${asText(path)}</code></h2><p>${asText(summary ?? "")}</p><p>${asText(description ?? "")}</p>${table ? `<table>${table}</table>` : ""}`;
}
