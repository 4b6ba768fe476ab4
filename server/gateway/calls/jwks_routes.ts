import { Elysia } from "elysia";
import type { SessionGuard } from "../edge/session_guard.ts";
import type { Mint } from "./mint.ts";

export const jwksPath = "/.well-known/jwks.json";

/** The public keys of the gateways' tokens, for the services (JWKS). */
export const jwksRoutes = (mint: Mint, guard: SessionGuard) =>
  new Elysia().get(jwksPath, async () => Response.json({ keys: await mint.keys() }), {
    ...guard.anybody("keys"),
    detail: { hide: true },
  });
