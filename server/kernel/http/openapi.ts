import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { AnyElysia } from "elysia";
import { outside } from "./custom_methods.ts";
import { type OpenapiDocument, openapiPage, styleHash } from "./openapi_page.ts";

export interface About {
  readonly title: string;
  readonly description: string;
}
/** How callers identify themselves, as OpenAPI's securitySchemes. */
export type SecuritySchemes = Readonly<Record<string, Readonly<Record<string, string>>>>;

const apiKeys: SecuritySchemes = {
  apiKey: { type: "http", scheme: "bearer", description: "an API key, kenri_<id>_<secret>, or an internal token of a signed-in person" },
};

/**
 * The OpenAPI 3.1 description of an app's routes at /openapi.json, and as a page without scripts at /openapi.
 * `guard`: route options that limit access to both.
 */
export function openapiRoutes(app: AnyElysia, info: About, schemes = apiKeys, guard: object = {}) {
  let document: Record<string, unknown> | undefined;
  const describe = () => {
    if (document) return document;
    const { components, paths, ...rest } = toOpenAPISchema(app, undefined, undefined, undefined, "3.1.0" as never);
    document = {
      openapi: "3.1.0",
      info: { ...info, version: "1" },
      paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [outside(path), methods])),
      ...rest,
      components: { ...components, securitySchemes: schemes },
      security: Object.keys(schemes).map(name => ({ [name]: [] })),
    };
    return document;
  };
  const hidden = { ...guard, detail: { hide: true } };
  return app
    .get("/openapi.json", () => Response.json(describe()), hidden)
    .get(
      "/openapi",
      () =>
        new Response(openapiPage(describe() as unknown as OpenapiDocument), {
          headers: {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
          },
        }),
      hidden,
    );
}
