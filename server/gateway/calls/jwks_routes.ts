import { Elysia } from "elysia";
import type { Entrance } from "../edge/entrance.ts";
import type { Mint } from "./mint.ts";

/** The public keys of the gateways' tokens, for the services. */
export const jwksRoutes = (mint: Mint, entrance: Entrance) =>
  new Elysia().get("/.well-known/jwks.json", async () => Response.json({ keys: await mint.keys() }), {
    ...entrance.anybody("keys"),
    detail: { hide: true },
  });
