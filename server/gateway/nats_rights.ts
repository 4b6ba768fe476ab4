import { feedHints } from "../contracts/feed_hints.ts";
import { type RightsOf, right } from "../kernel/nats/rights.ts";

export const apiRights: RightsOf = nameOf => ({
  publish: [],
  subscribe: [right(`${nameOf(feedHints.subject)}.*`, "receives the hints")],
});
