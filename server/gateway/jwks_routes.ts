import { Elysia } from "elysia";
import type { Mint } from "./mint.ts";

/** The public keys of the gateways' tokens, for the services. */
export const jwksRoutes = (mint: Mint) =>
  new Elysia().get("/.well-known/jwks.json", async () => Response.json({ keys: await mint.keys() }), { detail: { hide: true } });
