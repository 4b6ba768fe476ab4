import { type Ack, ackPublisher } from "../kernel/ack_publisher.ts";
import type { Breaker } from "../kernel/breaker.ts";
import type { Broker } from "../kernel/broker.ts";
import type { Faults } from "../kernel/fault.ts";
import { encodeMessage, type Message } from "./event.ts";
import type { OutboxClaimRow } from "./sql.gen.ts";

/**
 * What became of a publish. `untried` costs no attempt: the broker is away, or an earlier event of the aggregate did not go out.
 * `unanswered` is a deadline passed while connected: an attempt, unless so many in a row opened the breaker.
 */
export type Publishing =
  | { readonly outcome: "published"; readonly seq: number; readonly duplicate: boolean }
  | { readonly outcome: "failed" | "unanswered" | "unencodable"; readonly error: string }
  | { readonly outcome: "untried" };

export interface PublisherOptions {
  readonly broker: Broker;
  readonly breaker: Breaker;
  readonly faults: Faults;
  readonly subject: string;
  readonly deadline: number;
  /** Called when nothing takes the subject: the stream is gone although the connection held. */
  readonly streamMissing: () => void;
}

/** Publishes one event and waits for the stream's word. */
export function publisher({ broker, breaker, faults, subject, deadline, streamMissing }: PublisherOptions) {
  const send = ackPublisher(broker, deadline);

  function judge(ack: Ack): Publishing {
    switch (ack.kind) {
      case "stored":
        breaker.answered();
        return { outcome: "published", seq: ack.seq, duplicate: ack.duplicate };
      case "refused":
        breaker.answered();
        if (ack.nobodyListens) streamMissing();
        return { outcome: "failed", error: ack.error };
      case "silence":
        breaker.missed();
        return { outcome: "unanswered", error: `no answer from the stream within ${deadline} ms` };
      case "lost":
        return { outcome: "untried" };
    }
  }

  return async function publish(row: OutboxClaimRow): Promise<Publishing> {
    let message: Message;
    try {
      message = encodeMessage(row);
    } catch (error) {
      return { outcome: "unencodable", error: (error as Error).message };
    }
    if (faults.strikes(message.userId)) return { outcome: "failed", error: "fault: publishes for this user are made to fail" };
    if (breaker.isOpen()) return { outcome: "untried" };
    return judge(await send(subject, message));
  };
}

export type Publish = ReturnType<typeof publisher>;
