import { errors, headers } from "@nats-io/nats-core";
import { jetstream } from "@nats-io/jetstream";
import type { Breaker } from "../kernel/breaker.ts";
import type { Broker } from "../kernel/broker.ts";
import type { Faults } from "../kernel/fault.ts";
import { traceIdOf } from "../kernel/trace.ts";
import { encodeEvent, factsOf } from "./event.ts";
import type { OutboxClaimRow } from "./sql.gen.ts";

/** What became of a publish. `untried` costs no attempt: the broker is away, or an earlier event of the aggregate did not go out. */
export type Publishing =
  | { readonly outcome: "published"; readonly seq: number; readonly duplicate: boolean }
  | { readonly outcome: "failed"; readonly error: string }
  | { readonly outcome: "unencodable"; readonly error: string }
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
  return async function publish(row: OutboxClaimRow): Promise<Publishing> {
    let data: Uint8Array;
    try {
      data = encodeEvent(row);
    } catch (error) {
      return { outcome: "unencodable", error: (error as Error).message };
    }
    if (faults.strikes(factsOf(row)!.user_id)) return { outcome: "failed", error: "fault: publishes for this user are made to fail" };
    if (!broker.connected() || breaker.isOpen()) return { outcome: "untried" };
    const epoch = broker.epoch;
    try {
      const ack = await jetstream(broker.connection()).publish(subject, data, { msgID: messageId(row), headers: headersOf(row), timeout: deadline });
      breaker.answered();
      return { outcome: "published", seq: ack.seq, duplicate: ack.duplicate };
    } catch (error) {
      const connectionWasLost = !broker.connected() || broker.epoch !== epoch;
      if (connectionWasLost) return { outcome: "untried" };
      if (isDeadline(error)) return breaker.missed() ? { outcome: "untried" } : { outcome: "failed", error: `no answer from the stream within ${deadline} ms` };
      breaker.answered();
      const { name, message } = error as Error;
      // What the client calls a publish that nobody answers.
      if (name === "JetStreamNotEnabled") streamMissing();
      return { outcome: "failed", error: name === "JetStreamNotEnabled" ? "no stream takes the subject" : `${name}: ${message}` };
    }
  };
}

export type Publish = ReturnType<typeof publisher>;

/** The same id inside the duplicate window is acknowledged and dropped, so each generation has its own. */
export const messageId = ({ event_id, publish_generation }: Pick<OutboxClaimRow, "event_id" | "publish_generation">) =>
  publish_generation === 0 ? event_id : `${event_id}:r${publish_generation}`;

function headersOf(row: OutboxClaimRow) {
  const map = headers();
  map.set("event_type", row.event_type);
  map.set("aggregate_key", encodeURI(row.aggregate_key));
  map.set("occurred_at", factsOf(row)!.occurred_at);
  map.set("trace_id", traceIdOf(row.traceparent));
  map.set("traceparent", row.traceparent);
  return map;
}

const isDeadline = (error: unknown) => error instanceof errors.TimeoutError || (error instanceof Error && error.cause instanceof errors.TimeoutError);
