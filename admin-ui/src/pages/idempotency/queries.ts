import { queryOptions } from "@tanstack/react-query";
import { get, type StoredResponse } from "../../api/client.ts";

/** All clients and routes that used a request key. */
export const idempotency = (key: string) =>
  queryOptions({
    queryKey: ["idempotency", key],
    queryFn: async context =>
      (await get<{ keys: StoredResponse[] }>("entitlement", `idempotency/${encodeURIComponent(key)}`, {}, context)).keys,
  });
