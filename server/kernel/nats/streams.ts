import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import { errors, type NatsConnection, nanos } from "@nats-io/transport-node";

export interface StreamSpec {
  readonly name: string;
  readonly subject: string;
  readonly maxAge: number;
  readonly duplicateWindow: number;
  readonly replicas: number;
}

export interface ConsumerSpec {
  readonly stream: string;
  readonly durable: string;
  readonly ackWait: number;
  readonly maxAckPending: number;
}

/** `incarnation` differs after a stream was deleted and created again. */
export interface StreamState {
  readonly incarnation: string;
  readonly lastSeq: number;
}

const streamNotFound = 10059;
const consumerNotFound = 10014;
const isApiError = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

export const manager = (nats: NatsConnection, timeout = 3000): Promise<JetStreamManager> =>
  jetstreamManager(nats, { timeout, checkAPI: false });

/** The connection is up, and a question about a stream or a consumer got no answer. The client says only `timeout`. */
export class NatsSilent extends Error {
  override readonly name = "NatsSilent";
  constructor(server: string) {
    super(
      `NATS (${server}) is connected and does not answer a question about JetStream. What has to be published or consumed waits, and nothing is lost. Check that NATS runs, is not paused, and has a leader for its streams`,
    );
  }
}

/** A question to JetStream whose silence is an error in words. */
const asking = <Rest extends readonly unknown[], T>(ask: (nats: NatsConnection, ...rest: Rest) => Promise<T>) =>
  async function asked(nats: NatsConnection, ...rest: Rest): Promise<T> {
    try {
      return await ask(nats, ...rest);
    } catch (error) {
      throw error instanceof errors.TimeoutError ? new NatsSilent(nats.getServer()) : error;
    }
  };

export const ensureStream = asking(makeStream);
export const ensureConsumer = asking(makeConsumer);
export const consumerBacklog = asking(readBacklog);
export const consumerLag = asking(readLag);

/** Creates the stream if it does not exist, and returns its state. */
async function makeStream(nats: NatsConnection, spec: StreamSpec): Promise<StreamState> {
  const { streams } = await manager(nats);
  const info = await streams.info(spec.name).catch(error => {
    if (!isApiError(error, streamNotFound)) throw error;
    return streams.add({
      name: spec.name,
      subjects: [spec.subject],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(spec.maxAge),
      duplicate_window: nanos(Math.min(spec.duplicateWindow, spec.maxAge)),
      num_replicas: spec.replicas,
    });
  });
  return { incarnation: info.created, lastSeq: info.state.last_seq };
}

/** Whether a consumer was there, was made, or cannot be made because its stream does not exist yet; and what it has left. */
export interface FoundConsumer {
  readonly consumer: "there" | "made" | "no stream";
  /** Messages that are not delivered yet, and those that are delivered and not acknowledged. */
  readonly pending: number;
  readonly unacknowledged: number;
}

/**
 * Creates the durable pull consumer if it does not exist. If its position lies beyond the end of the stream, the store was truncated or restored, and
 * the consumer would skip new messages with old sequences. Then it is created again and reads from the start.
 */
async function makeConsumer(nats: NatsConnection, spec: ConsumerSpec): Promise<FoundConsumer> {
  const { streams, consumers } = await manager(nats);
  const info = await consumers.info(spec.stream, spec.durable).catch(error => {
    if (isApiError(error, consumerNotFound) || isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  const stream = await streams.info(spec.stream).catch(error => {
    if (isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  if (!stream) return { consumer: "no stream", pending: 0, unacknowledged: 0 };
  if (info && info.delivered.stream_seq > stream.state.last_seq) await consumers.delete(spec.stream, spec.durable);
  else if (info) return { consumer: "there", pending: info.num_pending, unacknowledged: info.num_ack_pending };
  await consumers.add(spec.stream, {
    durable_name: spec.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(spec.ackWait),
    max_ack_pending: spec.maxAckPending,
    max_deliver: -1,
  });
  return { consumer: "made", pending: stream.state.messages, unacknowledged: 0 };
}

/** How far a durable consumer is behind its stream. */
export interface ConsumerLag {
  /** Not delivered yet. */
  readonly pending: number;
  /** Delivered, not acknowledged. */
  readonly ack_pending: number;
  /** Of those, delivered more than once. */
  readonly redelivered: number;
}

/** How many messages a durable consumer has left, and up to which one all are acknowledged. Undefined if there is no such consumer. */
async function readBacklog(nats: NatsConnection, stream: string, durable: string) {
  const { consumers } = await manager(nats);
  const info = await consumers.info(stream, durable).catch(error => {
    if (isApiError(error, consumerNotFound) || isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  return info && { open: info.num_pending + info.num_ack_pending, acknowledged: info.ack_floor.stream_seq };
}

/** `no stream`: nothing was ever published there. `no consumer`: nobody has read the stream yet. */
export type Missing = "no stream" | "no consumer";

async function readLag(nats: NatsConnection, stream: string, durable: string, timeout = 3000): Promise<ConsumerLag | Missing> {
  const { consumers } = await manager(nats, timeout);
  try {
    const info = await consumers.info(stream, durable);
    return { pending: info.num_pending, ack_pending: info.num_ack_pending, redelivered: info.num_redelivered };
  } catch (error) {
    if (isApiError(error, streamNotFound)) return "no stream";
    if (isApiError(error, consumerNotFound)) return "no consumer";
    throw error;
  }
}

/** Whether a durable consumer has nothing left to deliver or to acknowledge. Undefined if there is no such consumer. */
export async function isConsumerIdle(nats: NatsConnection, stream: string, durable: string): Promise<boolean | undefined> {
  const lag = await consumerLag(nats, stream, durable);
  return typeof lag === "string" ? undefined : lag.pending === 0 && lag.ack_pending === 0;
}
