import type { Faults } from "../../kernel/life/fault.ts";
import { type Ack, ackPublisher, signedMessage } from "../../kernel/nats/ack_publisher.ts";
import type { Breaker } from "../../kernel/nats/breaker.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { doesNotStore } from "../../kernel/nats/store_probe.ts";
import { encodeMessage, type Message } from "../event.ts";
import type { OutboxClaimRow } from "../sql.gen.ts";

/**
 * What became of a publish. `untried` costs no attempt: the broker is away, or an earlier event of the aggregate did not go out. `outage` costs
 * none either: the stream cannot store anything. `failed` is the stream's word on this one event.
 * `unanswered` is a deadline passed while connected: an attempt, unless so many in a row opened the breaker.
 */
export type Publishing =
  | { readonly outcome: "published"; readonly seq: number; readonly duplicate: boolean }
  | { readonly outcome: "failed" | "outage" | "unanswered" | "unencodable"; readonly error: string }
  | { readonly outcome: "untried" };

export interface PublisherOptions {
  readonly broker: Broker;
  readonly breaker: Breaker;
  readonly faults: Faults;
  readonly stream: string;
  readonly subject: string;
  readonly deadline: number;
  readonly signatures: Signatures;
  /** Called when the stream cannot store: it may be gone or another one although the connection held. */
  readonly distrust: () => void;
}

/** Publishes one event and waits for the stream's word. */
export function publisher({ broker, breaker, faults, stream, subject, deadline, signatures, distrust }: PublisherOptions) {
  const send = ackPublisher(broker, stream, deadline);
  let largest = 0;

  function judge(ack: Ack, message: Message): Publishing {
    switch (ack.kind) {
      case "stored":
        breaker.answered();
        if (sizeOf(message) >= largest) largest = 0;
        return { outcome: "published", seq: ack.seq, duplicate: ack.duplicate };
      case "refused":
        breaker.answered();
        return { outcome: "failed", error: ack.error };
      case "outage":
        largest = Math.max(largest, sizeOf(message));
        distrust();
        breaker.trip(doesNotStore(ack.error));
        return { outcome: "outage", error: doesNotStore(ack.error) };
      case "silence":
        breaker.missed();
        return { outcome: "unanswered", error: `no answer from the stream within ${deadline} ms` };
      case "lost":
        return { outcome: "untried" };
    }
  }

  async function publish(row: OutboxClaimRow): Promise<Publishing> {
    let message: Message;
    try {
      message = signedMessage(signatures, subject, encodeMessage(row));
    } catch (error) {
      return { outcome: "unencodable", error: (error as Error).message };
    }
    if (faults.strikes(message.userId)) return { outcome: "failed", error: "fault: publishes for this user are made to fail" };
    if (breaker.isOpen()) return { outcome: "untried" };
    return judge(await send(subject, message), message);
  }

  return {
    publish,
    /** The size of the largest event that the stream had no room for since it last stored one. */
    largestUnstored: () => largest,
  };
}

const sizeOf = ({ data, headers }: Message) => data.length + JSON.stringify(headers).length;

export type Publish = ReturnType<typeof publisher>["publish"];
