import { queryOptions } from "@tanstack/react-query";
import { ask, type KeptAnswer } from "../../api/api.ts";

/** Everybody who used a key. */
export const idempotency = (key: string) =>
  queryOptions({
    queryKey: ["idempotency", key],
    queryFn: async asking => (await ask<{ keys: KeptAnswer[] }>("entitlement", `idempotency/${encodeURIComponent(key)}`, {}, asking)).keys,
  });
