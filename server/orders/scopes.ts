import { scope } from "../kernel/http/auth.ts";

/** What API keys may do here, beside the operators' scopes. */
export const orderScopes = {
  read: scope("orders:read"),
  write: scope("orders:write"),
};
