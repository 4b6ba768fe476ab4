import type { AnyElysia } from "elysia";

/** Headers of every response: no frames, no referrers, nothing loaded from elsewhere. Pages set a looser policy of their own. */
export function securityHeaders(app: AnyElysia, isSecure: () => boolean): void {
  app.onRequest(({ set }) => {
    Object.assign(set.headers, {
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=()",
      ...(isSecure() ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
    });
  });
}
