import { matchEvents } from "../contracts/match_events.ts";
import { type PermissionsOf, permission } from "../kernel/nats/permissions.ts";

const { stream, subject, consumer, announcedSubject } = matchEvents;

export const relayPermissions: PermissionsOf = nameOf => ({
  publish: [
    permission(nameOf(subject), "publishes events, and probes of the stream"),
    permission(`$JS.API.STREAM.INFO.${nameOf(stream)}`, "checks that the stream is there and has lost nothing"),
    permission(`$JS.API.STREAM.CREATE.${nameOf(stream)}`, "creates the stream if it is not there"),
    permission(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is"),
    permission(nameOf(announcedSubject), "asks which matches notification has announced"),
  ],
  subscribe: [],
});
