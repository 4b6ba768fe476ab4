import { feedHints } from "../contracts/feed_hints.ts";
import { type PermissionsOf, permission } from "../kernel/nats/permissions.ts";

export const apiPermissions: PermissionsOf = nameOf => ({
  publish: [],
  subscribe: [permission(`${nameOf(feedHints.subject)}.*`, "receives the hints")],
});
