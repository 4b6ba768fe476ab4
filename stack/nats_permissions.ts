/** The names that settings give to the stream, its consumer and the subjects. */
export interface NatsNames {
  readonly stream: string;
  readonly consumer: string;
  readonly subject: string;
  readonly takenIn: string;
  readonly inbox: string;
}

/** The defaults of the settings. */
export const defaultNames: NatsNames = {
  stream: "entitlement-events",
  consumer: "notification-entitlement-consumer",
  subject: "entitlement.events",
  takenIn: "notification.taken-in",
  inbox: "notification.inbox",
};

/** The names as the settings of this environment have them. */
export const namesIn = (environment: Record<string, string | undefined>): NatsNames => ({
  stream: environment.ENTITLEMENT_STREAM || defaultNames.stream,
  consumer: environment.ENTITLEMENT_CONSUMER || defaultNames.consumer,
  subject: environment.ENTITLEMENT_SUBJECT || defaultNames.subject,
  takenIn: environment.TAKEN_IN_SUBJECT || defaultNames.takenIn,
  inbox: environment.INBOX_SUBJECT || defaultNames.inbox,
});

/** Tests share a server, each with a stream and subjects of its own. A wildcard stands for a whole token, never for a part of one. */
export const testNames: NatsNames = {
  stream: "*",
  consumer: "*",
  subject: "entitlement.events.*",
  takenIn: "notification.taken-in.*",
  inbox: "notification.inbox.*",
};

/** A subject that a role may use, and what for. */
export interface Right {
  readonly subject: string;
  readonly purpose: string;
}

/** What a role may publish and subscribe, besides the replies that come to its own inbox. */
export interface Rights {
  readonly publish: readonly Right[];
  readonly subscribe: readonly Right[];
}

const right = (subject: string, purpose: string): Right => ({ subject, purpose });

/** `entitlement:relay` is the user `entitlement_relay`. */
export const userOf = (role: string) => role.replace(":", "_");

/** Replies to a role go below it. The server sends them; who else may publish there says the table below. */
export const inboxOf = (role: string) => `_INBOX_${userOf(role)}.>`;

/**
 * What each role of Kenri may do at NATS. No role may delete or purge a stream, or change one that exists. The administrator may do everything
 * and is no role: people and tests use it.
 */
export function rightsOf({ stream, consumer, subject, takenIn, inbox }: NatsNames): Record<string, Rights> {
  const publishing = [
    right(subject, "publishes events, and probes of the stream"),
    right(`$JS.API.STREAM.INFO.${stream}`, "checks that the stream is there and has lost nothing"),
    right(`$JS.API.STREAM.CREATE.${stream}`, "creates the stream if it is not there"),
  ];
  const lag = right(`$JS.API.CONSUMER.INFO.${stream}.${consumer}`, "reads how far the consumer is");
  const hints = right(`${inbox}.*`, "hints that a user's feed has grown");
  return {
    "entitlement:api": { publish: publishing, subscribe: [] },
    "entitlement:relay": {
      publish: [...publishing, lag, right(takenIn, "asks which events notification holds")],
      subscribe: [],
    },
    "notification:api": { publish: [lag], subscribe: [] },
    "notification:consumer": {
      publish: [
        right(`$JS.API.STREAM.INFO.${stream}`, "compares the end of the stream with the consumer's position"),
        lag,
        right(`$JS.API.CONSUMER.CREATE.${stream}.${consumer}`, "creates its consumer if it is not there"),
        right(`$JS.API.CONSUMER.DELETE.${stream}.${consumer}`, "replaces its consumer if the stream was cut or restored"),
        right(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, "pulls messages"),
        right(`$JS.ACK.${stream}.${consumer}.>`, "acknowledges them"),
        right(`$JS.ACK.*.*.${stream}.${consumer}.>`, "the same, as newer servers name it (domain, account)"),
        // Not `allow_responses`: nats-server 2.9 then remembers the reply subject of every message that is pulled, and searches them all.
        right(inboxOf("entitlement:relay"), "answers which events it holds"),
        hints,
      ],
      subscribe: [right(takenIn, "receives the questions which events it holds")],
    },
    "notification:sender": { publish: [hints], subscribe: [] },
    "gateway:api": { publish: [], subscribe: [right(`${inbox}.*`, "receives the hints")] },
  };
}
