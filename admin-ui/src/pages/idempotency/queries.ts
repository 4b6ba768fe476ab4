import { queryOptions } from "@tanstack/react-query";
import { get, type StoredResponse } from "../../api/client.ts";

/** Everybody who used a key. */
export const idempotency = (key: string) =>
  queryOptions({
    queryKey: ["idempotency", key],
    queryFn: async context =>
      (await get<{ keys: StoredResponse[] }>("entitlement", `idempotency/${encodeURIComponent(key)}`, {}, context)).keys,
  });
