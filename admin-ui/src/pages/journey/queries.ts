import { queryOptions } from "@tanstack/react-query";
import { ask } from "../../api/api.ts";
import { userPath } from "../../api/queries.ts";

/** Whether a user has, or had, anything at all. */
export const holdsAny = (user: string) =>
  queryOptions({
    queryKey: ["holds-any", user],
    queryFn: async asking =>
      (await ask<{ entitlements: unknown[] }>("entitlement", userPath(user, "entitlements"), { limit: 1 }, asking)).entitlements.length > 0,
  });
