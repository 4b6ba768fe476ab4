import { Elysia } from "elysia";
import type { SessionGuard } from "../edge/session_guard.ts";
import type { Mint } from "./mint.ts";

/** The public keys of the gateways' tokens, for the services. */
export const jwksRoutes = (mint: Mint, entrance: SessionGuard) =>
  new Elysia().get("/.well-known/jwks.json", async () => Response.json({ keys: await mint.keys() }), {
    ...entrance.anybody("keys"),
    detail: { hide: true },
  });
