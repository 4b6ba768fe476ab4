import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { feedHints } from "../contracts/feed_hints.ts";
import { inboxOf, type NameOf, type PermissionsOf, permission } from "../kernel/nats/permissions.ts";

const { stream, consumer, consumedSubject } = entitlementEvents;

const lag = (nameOf: NameOf) => permission(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is");
const hints = (nameOf: NameOf) => permission(`${nameOf(feedHints.subject)}.*`, "hints that a user's feed has grown");

export const apiPermissions: PermissionsOf = nameOf => ({ publish: [lag(nameOf)], subscribe: [] });

export const senderPermissions: PermissionsOf = nameOf => ({ publish: [hints(nameOf)], subscribe: [] });

export const consumerPermissions: PermissionsOf = nameOf => {
  const ours = `${nameOf(stream)}.${nameOf(consumer)}`;
  return {
    publish: [
      permission(`$JS.API.STREAM.INFO.${nameOf(stream)}`, "compares the end of the stream with the consumer's position"),
      lag(nameOf),
      permission(`$JS.API.CONSUMER.CREATE.${ours}`, "creates its consumer if it is not there"),
      permission(`$JS.API.CONSUMER.DELETE.${ours}`, "replaces its consumer if the stream was cut or restored"),
      permission(`$JS.API.CONSUMER.MSG.NEXT.${ours}`, "pulls messages"),
      permission(`$JS.ACK.${ours}.>`, "acknowledges them"),
      permission(`$JS.ACK.*.*.${ours}.>`, "the same, as newer servers name it (domain, account)"),
      // Not `allow_responses`: nats-server 2.9 then remembers the reply subject of every message that is pulled, and searches them all.
      permission(inboxOf("entitlement:relay"), "answers which events it holds"),
      hints(nameOf),
    ],
    subscribe: [permission(nameOf(consumedSubject), "receives the questions which events it holds")],
  };
};
