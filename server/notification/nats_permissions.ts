import { feedHints } from "../contracts/feed_hints.ts";
import { inboxOf, type NameOf, type PermissionsOf, permission } from "../kernel/nats/permissions.ts";
import { notificationSettings } from "./config.ts";

const { sources } = notificationSettings;
type SourceNames = Pick<(typeof sources)["entitlement"], "stream" | "consumer">;
const all: readonly SourceNames[] = Object.values(sources);

const hints = (nameOf: NameOf) => permission(`${nameOf(feedHints.subject)}.*`, "hints that a user's feed has grown");
const lag = (nameOf: NameOf, { stream, consumer }: SourceNames) =>
  permission(`$JS.API.CONSUMER.INFO.${nameOf(stream)}.${nameOf(consumer)}`, "reads how far the consumer is");

export const apiPermissions: PermissionsOf = nameOf => ({ publish: all.map(source => lag(nameOf, source)), subscribe: [] });

export const senderPermissions: PermissionsOf = nameOf => ({ publish: [hints(nameOf)], subscribe: [] });

function reading(nameOf: NameOf, source: SourceNames) {
  const stream = nameOf(source.stream);
  const ours = `${stream}.${nameOf(source.consumer)}`;
  return [
    permission(`$JS.API.STREAM.INFO.${stream}`, "compares the end of the stream with the consumer's position"),
    lag(nameOf, source),
    permission(`$JS.API.CONSUMER.CREATE.${ours}`, "creates its consumer if it is not there"),
    permission(`$JS.API.CONSUMER.DELETE.${ours}`, "replaces its consumer if the stream was cut or restored"),
    permission(`$JS.API.CONSUMER.MSG.NEXT.${ours}`, "pulls messages"),
    permission(`$JS.ACK.${ours}.>`, "acknowledges them"),
    permission(`$JS.ACK.*.*.${ours}.>`, "the same, as newer servers name it (domain, account)"),
  ];
}

/** The janitor removes the messages of an erased user. */
export const janitorPermissions: PermissionsOf = nameOf => ({
  publish: all.flatMap(source => [
    permission(`$JS.API.STREAM.INFO.${nameOf(source.stream)}`, "reads where the stream begins and ends"),
    lag(nameOf, source),
    permission(`$JS.API.STREAM.MSG.GET.${nameOf(source.stream)}`, "reads messages to find those of an erased user"),
    permission(`$JS.API.STREAM.MSG.DELETE.${nameOf(source.stream)}`, "deletes those of an erased user"),
  ]),
  subscribe: [],
});

export const consumerPermissions: PermissionsOf = nameOf => ({
  publish: [
    ...all.flatMap(source => reading(nameOf, source)),
    // Not `allow_responses`: nats-server 2.9 then remembers the reply subject of every message that is pulled, and searches them all.
    permission(inboxOf("entitlement:relay"), "answers which events it holds"),
    permission(inboxOf("matchmaking:relay"), "answers which matches it has announced"),
    hints(nameOf),
  ],
  subscribe: [
    permission(nameOf(sources.entitlement.consumedSubject), "receives the questions which events it holds"),
    permission(nameOf(sources.matchmaking.announcedSubject), "receives the questions which matches it has announced"),
  ],
});
