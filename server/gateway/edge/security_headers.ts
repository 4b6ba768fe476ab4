import type { AnyElysia } from "elysia";

/** What holds for everything that is served: no frames, no sniffing, no referrers, nothing loaded from elsewhere; pages loosen the policy for themselves. */
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
