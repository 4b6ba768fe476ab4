import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { feedHints } from "../contracts/feed_hints.ts";
import { inboxOf, type NameOf, type RightsOf, right } from "../kernel/nats/rights.ts";

const { stream, consumer, consumedSubject } = entitlementEvents;

const lag = (nameOf: NameOf) => right(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is");
const hints = (nameOf: NameOf) => right(`${nameOf(feedHints.subject)}.*`, "hints that a user's feed has grown");

export const apiRights: RightsOf = nameOf => ({ publish: [lag(nameOf)], subscribe: [] });

export const senderRights: RightsOf = nameOf => ({ publish: [hints(nameOf)], subscribe: [] });

export const consumerRights: RightsOf = nameOf => {
  const ours = `${nameOf(stream)}.${nameOf(consumer)}`;
  return {
    publish: [
      right(`$JS.API.STREAM.INFO.${nameOf(stream)}`, "compares the end of the stream with the consumer's position"),
      lag(nameOf),
      right(`$JS.API.CONSUMER.CREATE.${ours}`, "creates its consumer if it is not there"),
      right(`$JS.API.CONSUMER.DELETE.${ours}`, "replaces its consumer if the stream was cut or restored"),
      right(`$JS.API.CONSUMER.MSG.NEXT.${ours}`, "pulls messages"),
      right(`$JS.ACK.${ours}.>`, "acknowledges them"),
      right(`$JS.ACK.*.*.${ours}.>`, "the same, as newer servers name it (domain, account)"),
      // Not `allow_responses`: nats-server 2.9 then remembers the reply subject of every message that is pulled, and searches them all.
      right(inboxOf("entitlement:relay"), "answers which events it holds"),
      hints(nameOf),
    ],
    subscribe: [right(nameOf(consumedSubject), "receives the questions which events it holds")],
  };
};
