import { entitlementEvents } from "../contracts/entitlement_events.ts";
import { type NameOf, type PermissionsOf, permission } from "../kernel/nats/permissions.ts";

const { stream, subject, consumer, consumedSubject } = entitlementEvents;

const publishing = (nameOf: NameOf) => [
  permission(nameOf(subject), "publishes events, and probes of the stream"),
  permission(`$JS.API.STREAM.INFO.${nameOf(stream)}`, "checks that the stream is there and has lost nothing"),
  permission(`$JS.API.STREAM.CREATE.${nameOf(stream)}`, "creates the stream if it is not there"),
];

export const apiPermissions: PermissionsOf = nameOf => ({ publish: publishing(nameOf), subscribe: [] });

export const relayPermissions: PermissionsOf = nameOf => ({
  publish: [
    ...publishing(nameOf),
    permission(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is"),
    permission(nameOf(consumedSubject), "asks which events notification holds"),
  ],
  subscribe: [],
});
