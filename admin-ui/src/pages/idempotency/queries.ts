import { queryOptions } from "@tanstack/react-query";
import type { idempotencyRoutes } from "../../../../server/entitlement/operator/idempotency_routes.ts";
import type { Answer } from "../../api/answers.ts";
import { get } from "../../api/client.ts";

type Found = Answer<typeof idempotencyRoutes, "ops/idempotency/:key">;
export type StoredResponse = Found["keys"][number];

/** All clients and routes that used a request key. */
export const idempotency = (key: string) =>
  queryOptions({
    queryKey: ["idempotency", key],
    queryFn: async context => (await get<Found>("entitlement", `idempotency/${encodeURIComponent(key)}`, {}, context)).keys,
  });
