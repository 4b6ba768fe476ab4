import { toOpenAPISchema } from "@elysiajs/openapi/openapi";
import type { AnyElysia } from "elysia";
import { outside } from "./custom_methods.ts";
import { type OpenapiDocument, openapiPage, styleHash } from "./openapi_page.ts";

type Scheme = Readonly<Record<string, Readonly<Record<string, string>>>>;

const apiKeys: Scheme = {
  apiKey: { type: "http", scheme: "bearer", description: "an API key, kenri_<id>_<secret>, or a token of the gateway" },
};

/**
 * The OpenAPI 3.1 description of an app's routes, at /openapi.json; what a person reads of it is at /openapi, without a script.
 * `guard`: route options that limit who asks.
 */
export function openapiRoutes(app: AnyElysia, info: { title: string; description: string }, scheme: Scheme = apiKeys, guard: object = {}) {
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
