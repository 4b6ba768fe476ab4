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
import { type NatsConnection, nanos } from "@nats-io/transport-node";

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

/** What tells one life of a stream from the next, and how far it has come. */
export interface StreamState {
  readonly incarnation: string;
  readonly lastSeq: number;
}

const streamNotFound = 10059;
const consumerNotFound = 10014;
const isApiError = (error: unknown, code: number) => error instanceof JetStreamApiError && error.code === code;

export const manager = (nats: NatsConnection, timeout = 3000): Promise<JetStreamManager> =>
  jetstreamManager(nats, { timeout, checkAPI: false });

/** Makes the stream if it is not there, and says what it looks like. */
export async function ensureStream(nats: NatsConnection, spec: StreamSpec): Promise<StreamState> {
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

/**
 * Makes the durable pull consumer if it is not there. One whose position lies beyond the end of its stream (the store was cut or
 * restored) would wait for sequences that come again as other messages: it is made anew and reads from the start.
 * Says whether it was there, was made, or cannot be made because there is no stream yet.
 */
export async function ensureConsumer(nats: NatsConnection, spec: ConsumerSpec): Promise<"there" | "made" | "no stream"> {
  const { streams, consumers } = await manager(nats);
  const info = await consumers.info(spec.stream, spec.durable).catch(error => {
    if (isApiError(error, consumerNotFound) || isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  const stream = await streams.info(spec.stream).catch(error => {
    if (isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  if (!stream) return "no stream";
  if (info && info.delivered.stream_seq > stream.state.last_seq) await consumers.delete(spec.stream, spec.durable);
  else if (info) return "there";
  await consumers.add(spec.stream, {
    durable_name: spec.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: nanos(spec.ackWait),
    max_ack_pending: spec.maxAckPending,
    max_deliver: -1,
  });
  return "made";
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

/** What a durable consumer has still to do, and up to which message all was acknowledged; undefined if there is no such consumer. */
export async function consumerBacklog(nats: NatsConnection, stream: string, durable: string) {
  const { consumers } = await manager(nats);
  const info = await consumers.info(stream, durable).catch(error => {
    if (isApiError(error, consumerNotFound) || isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  return info && { open: info.num_pending + info.num_ack_pending, acknowledged: info.ack_floor.stream_seq };
}

/** Undefined if there is no such consumer. */
export async function consumerLag(nats: NatsConnection, stream: string, durable: string, timeout = 3000): Promise<ConsumerLag | undefined> {
  const { consumers } = await manager(nats, timeout);
  const info = await consumers.info(stream, durable).catch(error => {
    if (isApiError(error, consumerNotFound) || isApiError(error, streamNotFound)) return undefined;
    throw error;
  });
  return info && { pending: info.num_pending, ack_pending: info.num_ack_pending, redelivered: info.num_redelivered };
}

/** Whether a durable consumer has anything still to be delivered or acknowledged; undefined if there is no such consumer. */
export async function isConsumerIdle(nats: NatsConnection, stream: string, durable: string): Promise<boolean | undefined> {
  const lag = await consumerLag(nats, stream, durable);
  return lag && lag.pending === 0 && lag.ack_pending === 0;
}
