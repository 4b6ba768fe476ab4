import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { type NameOf, type RightsOf, right } from "../kernel/nats/rights.ts";

const { stream, subject, consumer, consumedSubject } = entitlementEvents;

const publishing = (nameOf: NameOf) => [
  right(nameOf(subject), "publishes events, and probes of the stream"),
  right(`$JS.API.STREAM.INFO.${nameOf(stream)}`, "checks that the stream is there and has lost nothing"),
  right(`$JS.API.STREAM.CREATE.${nameOf(stream)}`, "creates the stream if it is not there"),
];

export const apiRights: RightsOf = nameOf => ({ publish: publishing(nameOf), subscribe: [] });

export const relayRights: RightsOf = nameOf => ({
  publish: [
    ...publishing(nameOf),
    right(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is"),
    right(nameOf(consumedSubject), "asks which events notification holds"),
  ],
  subscribe: [],
});
