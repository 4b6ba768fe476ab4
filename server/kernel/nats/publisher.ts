import type { Faults } from "../life/fault.ts";
import type { Span, Tracer } from "../telemetry/spans.ts";
import { type Ack, ackPublisher, type Outgoing, signedMessage } from "./ack_publisher.ts";
import type { Breaker } from "./breaker.ts";
import type { Broker } from "./broker.ts";
import type { Signatures } from "./signatures.ts";
import { doesNotStore } from "./store_probe.ts";

/** An event as it is published. */
export type EventMessage = Outgoing & {
  /** Whom it concerns. */
  readonly userIds: readonly string[];
  /** Further traces that it belongs to, beside the one of its header traceparent. */
  readonly links?: readonly string[];
};

/**
 * The outcome of a publish. `untried` costs no attempt: the broker is away, or an earlier event of the aggregate was not published. `outage` costs
 * none either: the stream cannot store anything. `failed`: the stream refused this event. `unanswered`: a deadline passed while connected. It costs an
 * attempt, unless several in a row opened the breaker.
 */
export type Publishing =
  | { readonly outcome: "published"; readonly seq: number; readonly duplicate: boolean }
  | { readonly outcome: "failed" | "outage" | "unanswered" | "unencodable"; readonly error: string }
  | { readonly outcome: "untried" };

export interface PublisherOptions<Row> {
  /** Begins the names of spans. */
  readonly name: string;
  readonly tracer?: Tracer | undefined;
  readonly broker: Broker;
  readonly breaker: Breaker;
  readonly faults: Faults;
  readonly stream: string;
  readonly subject: string;
  readonly deadline: number;
  readonly signatures: Signatures;
  /** Throws if the row cannot be encoded. */
  readonly encode: (row: Row) => EventMessage;
  /** Called when the stream cannot store: it may be deleted or another one although the connection is the same. */
  readonly invalidate: () => void;
}

/** Publishes events, and judges the answers of the stream. */
export function publisher<Row>(options: PublisherOptions<Row>) {
  const { tracer, broker, breaker, faults, stream, subject, deadline, signatures, encode, invalidate } = options;
  const publishAndWait = ackPublisher(broker, stream, deadline);
  let largest = 0;

  function judge(ack: Ack, message: EventMessage): Publishing {
    switch (ack.kind) {
      case "stored":
        breaker.answered();
        if (largest > 0 && sizeOf(message) >= largest) largest = 0;
        return { outcome: "published", seq: ack.seq, duplicate: ack.duplicate };
      case "refused":
        breaker.answered();
        return { outcome: "failed", error: ack.error };
      case "outage":
        largest = Math.max(largest, sizeOf(message));
        invalidate();
        breaker.trip(doesNotStore(ack.error));
        return { outcome: "outage", error: doesNotStore(ack.error) };
      case "silence":
        breaker.missed();
        return { outcome: "unanswered", error: `no answer from the stream within ${deadline} ms` };
      case "lost":
        return { outcome: "untried" };
    }
  }

  const spanOf = ({ id, headers, links = [] }: EventMessage): Span | undefined =>
    tracer?.start(`${options.name}.publish`, headers.traceparent ?? "", {
      kind: "producer",
      links,
      attributes: { "messaging.system": "nats", "messaging.destination.name": stream, "messaging.message.id": id },
    });

  /** Sends an event. A promise if it was sent; otherwise why not. Events that are sent one after the other are stored in that order. */
  function publish(row: Row): Publishing | Promise<Publishing> {
    let message: EventMessage;
    let span: Span | undefined;
    try {
      const encoded = encode(row);
      span = spanOf(encoded);
      message = signedMessage(signatures, subject, span ? childOf(span, encoded) : encoded);
    } catch (error) {
      span?.end({ error: "unencodable" });
      return { outcome: "unencodable", error: (error as Error).message };
    }
    const publishing = send(message);
    if (span) void Promise.resolve(publishing).then(one => endSpan(span, one));
    return publishing;
  }

  function send(message: EventMessage): Publishing | Promise<Publishing> {
    if (message.userIds.some(id => faults.strikes(id)))
      return { outcome: "failed", error: "fault: publishes for this user are made to fail" };
    if (breaker.isOpen()) return { outcome: "untried" };
    const ack = publishAndWait(subject, message);
    return ack instanceof Promise ? ack.then(one => judge(one, message)) : judge(ack, message);
  }

  return {
    publish,
    /** The size of the largest event that the stream could not store since it last stored one. */
    largestUnstored: () => largest,
  };
}

const childOf = (span: Span, message: EventMessage): EventMessage => ({
  ...message,
  headers: { ...message.headers, traceparent: span.traceparent },
});

function endSpan(span: Span, publishing: Publishing): void {
  const { outcome } = publishing;
  span.end(outcome === "published" ? { attributes: { "kenri.duplicate": publishing.duplicate } } : { error: outcome });
}

const sizeOf = ({ data, headers }: EventMessage) => data.length + JSON.stringify(headers).length;

export type Publish<Row> = ReturnType<typeof publisher<Row>>["publish"];
