import { scope } from "../kernel/http/auth.ts";

/** What API keys may do here, beside the operators' scopes. */
export const entitlementScopes = {
  read: scope("entitlements:read"),
  write: scope("entitlements:write"),
};
