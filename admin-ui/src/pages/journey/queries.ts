import { queryOptions } from "@tanstack/react-query";
import { get } from "../../api/client.ts";
import { userPath } from "../../api/queries.ts";

/** Whether the user has or had any entitlement. */
export const hasEntitlements = (user: string) =>
  queryOptions({
    queryKey: ["has entitlements", user],
    queryFn: async context =>
      (await get<{ entitlements: unknown[] }>("entitlement", userPath(user, "entitlements"), { limit: 1 }, context)).entitlements.length >
      0,
  });
