import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/nats-core";
import type { Broker } from "./broker.ts";
import { type Signatures, signatureHeader } from "./signatures.ts";
import { concernsMessage, describeError, type StreamError } from "./stream_errors.ts";

/**
 * The stream's answer to a message. `refused`: because of this message. `outage`: nothing can be stored now. `silence`: no answer in time. `lost`: the
 * connection broke before an answer came.
 */
export type Ack =
  | { readonly kind: "stored"; readonly seq: number; readonly duplicate: boolean }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "outage"; readonly error: string }
  | { readonly kind: "silence" }
  | { readonly kind: "lost" };

export interface Outgoing {
  readonly id: string;
  readonly data: Uint8Array;
  /** One line of ASCII each. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The headers with which a message goes to a stream. */
export const headersFor = (stream: string, { id, headers }: Pick<Outgoing, "id" | "headers">) => ({
  "Nats-Msg-Id": id,
  "Nats-Expected-Stream": stream,
  ...headers,
});

/** Adds the signature, which also covers the message id. */
export function signedMessage<M extends Outgoing>(signatures: Signatures, subject: string, message: M): M {
  const { id, headers, data } = message;
  const signature = signatures.sign({ subject, headers: { "Nats-Msg-Id": id, ...headers }, data });
  return signature === undefined ? message : { ...message, headers: { ...headers, [signatureHeader]: signature } };
}

interface Waiting {
  readonly until: number;
  readonly epoch: number;
  readonly settle: (ack: Ack) => void;
}

/**
 * Publishes to one JetStream stream with many messages under way. Another stream with the same subject does not store them. The client's own publish
 * makes a timer and an error object for each message; one inbox and one timer for all take half the CPU (measured: 18 against 40 µs a message).
 */
export function ackPublisher(broker: Broker, stream: string, deadline: number) {
  const waiting = new Map<string, Waiting>();
  const inbox = createInbox(broker.inboxPrefix);
  let listeningOn: NatsConnection | undefined;
  let timer: Timer | undefined;
  let published = 0;

  function listen(nats: NatsConnection): void {
    if (listeningOn === nats) return;
    nats.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (!error) return settle(message.subject.slice(inbox.length + 1), ackOf(message));
        // The server has ended the subscription.
        if (listeningOn === nats) listeningOn = undefined;
      },
    });
    listeningOn = nats;
  }

  function settle(key: string, ack: Ack): void {
    const one = waiting.get(key);
    waiting.delete(key);
    one?.settle(ack);
  }

  /** All have the same deadline, so the first in the map is the first to pass it. */
  function expire(): void {
    timer = undefined;
    const now = performance.now();
    for (const [key, { until, epoch }] of waiting) {
      if (until > now) {
        timer = setTimeout(expire, until - now);
        return;
      }
      settle(key, !broker.connected() || broker.epoch !== epoch ? { kind: "lost" } : { kind: "silence" });
    }
  }

  broker.onDisconnect(() => {
    for (const key of [...waiting.keys()]) settle(key, { kind: "lost" });
  });

  /** Sends a message. A promise if it was sent; otherwise why not. Messages that are sent one after the other are stored in that order. */
  return function publish(subject: string, { id, data, headers }: Outgoing): Ack | Promise<Ack> {
    if (!broker.connected()) return { kind: "lost" };
    const { promise, resolve } = Promise.withResolvers<Ack>();
    const key = (published++).toString(36);
    waiting.set(key, { until: performance.now() + deadline, epoch: broker.epoch, settle: resolve });
    if (timer === undefined) timer = setTimeout(expire, deadline);
    try {
      const nats = broker.connection();
      listen(nats);
      nats.publish(subject, data, { headers: encodedHeaders(headersFor(stream, { id, headers })), reply: `${inbox}.${key}` });
    } catch (error) {
      // The client refuses a message that is too large for the server. Any other error comes from a connection that is about to end.
      waiting.delete(key);
      return error instanceof errors.InvalidArgumentError ? { kind: "refused", error: error.message } : { kind: "lost" };
    }
    return promise;
  };
}

interface Answer {
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: StreamError;
}

function ackOf(message: Msg): Ack {
  if (message.headers?.code === 503) return { kind: "outage", error: "no stream takes the subject (503)" };
  const { seq, duplicate = false, error } = answerOf(message);
  if (error) return { kind: concernsMessage(error) ? "refused" : "outage", error: describeError(error) };
  return seq ? { kind: "stored", seq, duplicate } : { kind: "outage", error: "the answer is not one of JetStream" };
}

/** Any subscriber of the subject may answer, with any content. */
function answerOf(message: Msg): Answer {
  try {
    return message.json<Answer | null>() ?? {};
  } catch {
    return {};
  }
}

const encoder = new TextEncoder();

/** The client only calls `encode`. Its own class searches all names again for every value, which took a tenth of a publisher's time. */
function encodedHeaders(headers: Readonly<Record<string, string>>): MsgHdrs {
  let text = "NATS/1.0\r\n";
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return { encode: () => encoder.encode(`${text}\r\n`) } as unknown as MsgHdrs;
}
