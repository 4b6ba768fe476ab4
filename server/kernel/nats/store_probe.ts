import { jetstream } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/nats-core";
import { type Ack, ackPublisher, type Outgoing, signedMessage } from "./ack_publisher.ts";
import { type Broker, BrokerAway } from "./broker.ts";
import type { Signatures } from "./signatures.ts";

const header = "Kenri-Probe";

/** Whether a message is a probe: consumers acknowledge it and store nothing. */
export const isProbe = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): boolean => header in headers;

/** A message that only finds out whether the stream stores one of this size. Signed, because one under the id of an event would displace it unseen. */
function probeOf(size: number, subject: string, signatures: Signatures): Outgoing {
  const [id, data] = [`probe:${crypto.randomUUID()}`, new Uint8Array(size)];
  return signedMessage(signatures, subject, { id, data, headers: { [header]: "1" } });
}

export interface StoreProbeOptions {
  readonly stream: string;
  readonly subject: string;
  readonly deadline: number;
  readonly signatures: Signatures;
}

/** Resolves when the stream has stored a probe. What the server says of a stream looks well while its store is broken, so only a publish tells. */
export function storeProbe(broker: Broker, { stream, subject, deadline, signatures }: StoreProbeOptions) {
  const publish = ackPublisher(broker, stream, deadline);
  return async (size: number): Promise<void> => {
    const ack = await publish(subject, probeOf(size, subject, signatures));
    if (ack.kind !== "stored") throw failureOf(ack, deadline);
  };
}

/** The same by any connection, without the parts that publish events. */
export async function storesProbeBy(nats: NatsConnection, options: StoreProbeOptions, size: number): Promise<void> {
  const { stream, subject, deadline, signatures } = options;
  const { id, data, headers: named } = probeOf(size, subject, signatures);
  const marked = headers();
  for (const [name, value] of Object.entries(named)) marked.set(name, value);
  await jetstream(nats, { timeout: deadline }).publish(subject, data, { msgID: id, headers: marked, expect: { streamName: stream } });
}

function failureOf(ack: Exclude<Ack, { kind: "stored" }>, deadline: number): Error {
  if (ack.kind === "lost") return new BrokerAway();
  if (ack.kind === "silence") return new Error(`JetStream does not answer within ${deadline} ms`);
  return new Error(doesNotStore(ack.error));
}

export const doesNotStore = (error: string): string => `JetStream does not store: ${error}`;
